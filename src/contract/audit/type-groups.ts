import { type AuditType, auditTypes } from './audit-types.js';

/** Events that match a search are counted up to this number. */
export const countedEvents = 1000;

/** Groups of events that an administrator looks for; the names are those of the call and of the page's address. */
export const auditGroups = ['sign-ins', 'changes', 'consents', 'accesses', 'keys', 'record'] as const;
export type AuditGroup = (typeof auditGroups)[number];

/** The compiler asks for the group of a new type. */
const groupOf: Record<AuditType, AuditGroup> = {
  login: 'sign-ins',
  logout: 'sign-ins',
  'access.refused': 'sign-ins',
  'account.activated': 'changes',
  'account.changed': 'changes',
  'account.deleted': 'changes',
  'account.deletion-requested': 'changes',
  'account.kept': 'changes',
  'account.recovery-canceled': 'changes',
  'account.recovery-requested': 'changes',
  'data.exported': 'record',
  'password.changed': 'changes',
  'password.removed': 'changes',
  'password.reset': 'changes',
  'password.reset-requested': 'sign-ins',
  'two-factor.enabled': 'changes',
  'two-factor.disabled': 'changes',
  'two-factor.proven': 'sign-ins',
  'two-factor.reset': 'changes',
  'recovery-codes.made': 'changes',
  'passkey.added': 'changes',
  'passkey.removed': 'changes',
  'sessions.ended': 'sign-ins',
  'admin.created': 'changes',
  'user.created': 'changes',
  'users.imported': 'changes',
  'users.import-stopped': 'changes',
  'users.import-undone': 'changes',
  'user.changed': 'changes',
  'user.deleted': 'changes',
  'user.invited-again': 'changes',
  'user.unlocked': 'changes',
  'client.created': 'changes',
  'client.changed': 'changes',
  'client.deleted': 'changes',
  'client.restored': 'changes',
  'configuration.applied': 'changes',
  'configuration.released': 'changes',
  'authorization.left': 'consents',
  'disclaimers.agreed': 'consents',
  'disclaimer.withdrawn': 'consents',
  'consent.given': 'consents',
  'consent.declined': 'consents',
  'app.revoked': 'consents',
  'permission.revoked': 'consents',
  'app.paused': 'consents',
  'app.resumed': 'consents',
  'representation.proposed': 'consents',
  'representation.decided': 'consents',
  'representation.changed': 'consents',
  'representation.ended': 'consents',
  'representation.block-lifted': 'consents',
  'representation.invited': 'consents',
  'representation.invitation-ended': 'consents',
  'token.reused': 'keys',
  'token.late': 'keys',
  'launch.announced': 'consents',
  'launch-context.chosen': 'consents',
  'launch-trial.started': 'consents',
  'launch-trial.ended': 'consents',
  'record.accessed': 'accesses',
  'access-log.exported': 'record',
  'list.exported': 'record',
  'keys.replaced': 'keys',
  'keys.removed': 'keys',
  'audit.read': 'record',
  'audit.exported': 'record',
  'audit.verified': 'record',
  'audit.archived': 'record',
  'backup.taken': 'record',
  'backup.restored': 'record',
  'issued.ended': 'keys',
};

/** The types of these groups; all types if none is named. */
export function typesOf(groups: readonly AuditGroup[]): AuditType[] {
  return auditTypes.filter((type) => groups.length === 0 || groups.includes(groupOf[type]));
}
