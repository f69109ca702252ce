import { createHash } from 'node:crypto';

/** The app that the user authorizes, and the tenant whose data it is for. */
export interface Destination {
  clientId: string;
  tenantId: string | null;
}

/** The subject of an agreement; of a disclaimer for several apps, each app has its own. */
export interface Subject {
  tenantId: string | null;
  clientId: string | null;
  disclaimerId: string;
}

interface DisclaimerState {
  id: string;
  description: string;
  /** The text as the deployer wrote it. */
  source: string;
  /** The part of it that is safe to show. */
  html: string;
  tenantId: string | null;
  /** Empty: all apps. */
  clients: readonly string[];
  everyLogin: boolean;
}

/** A text that a user has to agree to before an app gets anything; the deployer configures it. */
export class Disclaimer {
  readonly id: string;
  readonly description: string;
  readonly html: string;
  readonly everyLogin: boolean;
  /** Another one as soon as the deployer changes the wording; not when what is safe to show is judged differently. */
  readonly textHash: string;
  private readonly tenantId: string | null;
  private readonly clients: readonly string[];

  constructor({ id, description, source, html, tenantId, clients, everyLogin }: DisclaimerState) {
    Object.assign(this, { id, description, html, tenantId, clients, everyLogin });
    this.textHash = createHash('sha256')
      .update(JSON.stringify([description, source]))
      .digest('base64url');
  }

  isFor({ clientId, tenantId }: Destination): boolean {
    if (this.tenantId !== null && this.tenantId !== tenantId) return false;
    return this.clients.length === 0 || this.clients.includes(clientId);
  }

  subjectFor(clientId: string): Subject {
    return {
      tenantId: this.tenantId,
      clientId: this.clients.length === 0 ? null : clientId,
      disclaimerId: this.id,
    };
  }

  /** True if this disclaimer was the subject of that agreement. */
  isSubjectOf({ tenantId, clientId, disclaimerId }: Subject): boolean {
    if (disclaimerId !== this.id || tenantId !== this.tenantId) return false;
    return clientId === null ? this.clients.length === 0 : this.clients.includes(clientId);
  }
}

/** Names a set of disclaimers with their wordings; the empty set is the empty text. */
export function versionOf(disclaimers: Disclaimer[]): string {
  if (disclaimers.length === 0) return '';
  const parts = disclaimers.map(({ id, textHash }) => `${id} ${textHash}`).toSorted();
  return createHash('sha256').update(parts.join('\n')).digest('base64url');
}
