/** Columns by which the list of clients can be sorted; the first is the default (`spec §9`). */
export const clientSortColumns = ['clientId', 'clientName', 'clientType', 'enabled'] as const;
