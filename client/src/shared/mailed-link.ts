/** What a link by mail carries. */
export interface MailedLink {
  userId: string;
  token: string;
}

/** Null when something of it is missing. */
export function linkOf(search: string): MailedLink | null {
  const query = new URLSearchParams(search);
  const userId = query.get('u');
  const token = query.get('t');
  return userId && token ? { userId, token } : null;
}
