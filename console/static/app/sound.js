// The sound of a new alert: two tones for critical ones, one for the rest; made here, no file needed.

const KEY = "tablewatch.sound";
const BETWEEN_MS = 1500;
let context = null;

export const soundOn = () => localStorage.getItem(KEY) !== "off";

// A browser lets a page sound only after somebody has clicked or typed in it.
export const soundWaits = () => soundOn() && navigator.userActivation?.hasBeenActive === false;

export function toggleSound() {
  localStorage.setItem(KEY, soundOn() ? "off" : "on");
  trySound();
}

export function trySound() {
  if (soundOn()) tone(660, 0);
}

// A thousand alerts at once are one sound; what comes while it is heard has the next one, by the worst of it.
let next = null;
let heard = -BETWEEN_MS;
export function soundFor(severity) {
  const waits = next !== null;
  if (!waits || severity === "critical") next = severity;
  if (waits) return;
  setTimeout(() => {
    heard = performance.now();
    sound(next);
    next = null;
  }, Math.max(0, heard + BETWEEN_MS - performance.now()));
}

function sound(severity) {
  if (!soundOn()) return;
  if (severity === "critical") {
    tone(880, 0);
    tone(660, 0.22);
  } else {
    tone(560, 0);
  }
}

function tone(pitch, after) {
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
    const start = context.currentTime + after;
    const voice = context.createOscillator();
    const level = context.createGain();
    voice.frequency.value = pitch;
    level.gain.setValueAtTime(0.0001, start);
    level.gain.exponentialRampToValueAtTime(0.25, start + 0.02);
    level.gain.exponentialRampToValueAtTime(0.0001, start + 0.2);
    voice.connect(level).connect(context.destination);
    voice.start(start);
    voice.stop(start + 0.22);
  } catch {
    // A machine without sound still shows the alert.
  }
}
