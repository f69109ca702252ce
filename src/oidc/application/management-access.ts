/** The scope of a service that manages the portal; its name is kept for compatibility. */
export const managementScope = 'http://server.fire.ly/auth/scope/authmanagement';

/** What such a token is for, and nothing else takes it. */
export function managementAudience(issuer: string): string {
  return `${issuer}/api/admin`;
}
