"""The gateway: HTTP for devices that do not speak Kafka; what it takes is on the broker before it says so."""
