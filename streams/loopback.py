"""Whether an address is of this machine alone, so that nothing said there travels."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether nobody beyond this machine can reach the host, by its name or number."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
