/** An app whose access has ended with a relationship. */
export class AppOfEnded {
  clientName: string;
  /** Number of grants: each is from one sign-in with the app. */
  signIns: number;
  /** Number of the app's receipt, for the representative; null for the patient, whose receipt it is not. */
  receipt: string | null;
}

/** `GET /api/representation/{id}/ended`: what has ended, as one of both sides reads it. */
export class EndedRelationship {
  id: string;
  /** The user's own side. */
  side: 'representative' | 'patient';
  /** `suspended`: the patient has ended a power of attorney or court order, and administrators decide. */
  state: 'ended' | 'suspended';
  /** First name of the other side. */
  name: string;
  /** The other side's relation to the user: `child`, `mother`. */
  relation: string;
  /** Label of the basis. */
  basis: string;
  /** ISO 8601. */
  endedAt: string;
  /** The actor of the end; `portal`: the day, the age, the record, or an account that is gone. */
  by: 'self' | 'other' | 'administrator' | 'portal';
  /** By name. */
  apps: AppOfEnded[];
}
