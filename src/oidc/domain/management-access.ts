/** Scope of a service that manages the portal; its name is kept for compatibility. */
export const managementScope = 'http://server.fire.ly/auth/scope/authmanagement';

/** Audience of management tokens; no other endpoint accepts it. */
export function managementAudience(issuer: string): string {
  return `${issuer}/api/admin`;
}
