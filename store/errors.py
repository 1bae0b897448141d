"""What can go wrong with the store, named by what happens next (which is why no name ends in Error)."""


class StoreError(Exception):
    """Base of all errors of the store."""


class StoreUnavailable(StoreError):  # noqa: N818 - named by what happens next
    """The store is away or cannot take more just now: wait and try again."""


class WrongAddress(StoreError):  # noqa: N818 - named by what happens next
    """The address of the store cannot be read: correct the setting."""


class AccessRefused(StoreError):  # noqa: N818 - named by what happens next
    """The store does not know this user or password, or the user lacks a right: correct the setting."""


class SchemaTooOld(StoreError):  # noqa: N818 - named by what happens next
    """The store lacks migrations that this version needs: run ``tablewatch store migrate``."""


class SchemaTooNew(StoreError):  # noqa: N818 - named by what happens next
    """The store was migrated by a newer version: use that one."""


class MigrationEdited(StoreError):  # noqa: N818 - named by what happens next
    """A migration that has landed in the store was changed afterwards: put the file back, write a new one."""


class QueryRefused(StoreError):  # noqa: N818 - named by what happens next
    """The store understood and said no: a fault of ours, to be reported with its words."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code
        """ClickHouse's own error code."""


class BackupDamaged(StoreError):  # noqa: N818 - named by what happens next
    """A file of the backup is missing or differs from what was written: use another backup."""


class StoreNotEmpty(StoreError):  # noqa: N818 - named by what happens next
    """There is something in the store already: a backup is restored into an empty one."""


class RetentionWouldShrink(StoreError):  # noqa: N818 - named by what happens next
    """Rows that were to be kept longer would be deleted: say so expressly, or keep the longer retention."""


class StoreContradicts(StoreError):  # noqa: N818 - named by what happens next
    """Two tables of the store disagree about what came in: check the chain, somebody may have changed it."""
