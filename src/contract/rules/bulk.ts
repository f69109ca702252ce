/** The most rows that one call can name by their ids. */
export const mostChosen = 1000;

/** The most rows that one call changes or exports, by a filter. */
export const mostInBulk = 20_000;

export const clientBulkActions = ['enable', 'disable', 'tag', 'delete'] as const;
export type ClientBulkAction = (typeof clientBulkActions)[number];

export const userBulkActions = ['invite'] as const;
export type UserBulkAction = (typeof userBulkActions)[number];

/** The reason why one of many was not changed, or not restored. */
export type BulkFailure =
  | 'gone'
  | 'forbidden'
  | 'managed'
  | 'rules'
  | 'tags'
  | 'confirmed'
  | 'throttled'
  | 'changed-since'
  | 'too-late';
