/** What the list of clients can be sorted by; the first is the default (`spec §9`). */
export const clientSortColumns = ['clientId', 'clientName', 'clientType', 'enabled'] as const;
