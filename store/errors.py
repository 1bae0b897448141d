"""What can go wrong with the store, named by what happens next (which is why no name ends in Error)."""


class StoreError(Exception):
    """Base of all errors of the store."""


class StoreUnavailable(StoreError):
    """The store is away or cannot take more just now: wait and try again."""


class StoreUnreachable(StoreUnavailable):
    """Nothing answers at the address, or something that is no ClickHouse: check both, then try again."""


class WrongAddress(StoreError):
    """The address of the store cannot be read: correct the setting."""


class AccessRefused(StoreError):
    """The store does not know this user or password, or the user lacks a right: correct the setting."""


class SchemaTooOld(StoreError):
    """The store lacks migrations that this version needs: run ``tablewatch store migrate``."""


class SchemaTooNew(StoreError):
    """The store was migrated by a newer version: use that one."""


class MigrationEdited(StoreError):
    """A migration that has landed in the store was changed afterwards: put the file back, write a new one."""


class QueryRefused(StoreError):
    """The store understood and said no: a fault of ours, to be reported with its words."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code
        """ClickHouse's own error code."""

    def __reduce__(self) -> "tuple[type[QueryRefused], tuple[str, int]]":
        # From one process to another: an exception is made anew of its words alone unless told otherwise.
        return type(self), (str(self), self.code)


class PartUnreadable(QueryRefused):
    """Bytes of the store on disk are not those that were written: look with ``tablewatch replay verify --chain``."""


class BackupDamaged(StoreError):
    """A file of the backup is missing or differs from what was written: use another backup."""


class StoreNotEmpty(StoreError):
    """There is something in the store already: a backup is restored into an empty one."""


class RetentionWouldShrink(StoreError):
    """Rows that were to be kept longer would be deleted: say so expressly, or keep the longer retention."""


class StoreContradicts(StoreError):
    """Two tables of the store disagree about what came in, or a row is none that was ever written: check the chain,
    somebody may have changed it."""

    @property
    def sentences(self) -> str:
        """What is the case, and what to do."""
        return f"{self}. `tablewatch replay verify --chain` tells what was changed."


class HoldTaken(StoreError):
    """A hold of this name is, or was, on this round: what is kept of it is not written over, take another name."""
