import { IsBoolean, IsString, MaxLength } from 'class-validator';
import type { Params } from './messages/message.js';

/**
 * `unknown`: the check could not find out, which its text explains. Only `blocking` keeps an installation from going
 * live.
 */
export type ReadinessState = 'pass' | 'improve' | 'blocking' | 'unknown';

export type ReadinessGroup = 'people' | 'fhir' | 'mail' | 'clients' | 'network' | 'database' | 'audit';

export type ReadinessCode =
  | 'admin-second-factor'
  | 'admin-sign-in'
  | 'second-admin'
  | 'password-rule'
  | 'sign-in-limits'
  | 'identity-providers'
  | 'fhir-capabilities'
  | 'fhir-direct-access'
  | 'fhir-transport'
  | 'fhir-clock'
  | 'fhir-names'
  | 'represented-patients'
  | 'representation-labels'
  | 'representation-nodes'
  | 'representation-time-zone'
  | 'representation-restored'
  | 'late-requests'
  | 'brands'
  | 'mail-server'
  | 'mail-queue'
  | 'mail-test'
  | 'mail-sender'
  | 'client-secrets'
  | 'client-wildcards'
  | 'client-offline-access'
  | 'client-use'
  | 'issuer'
  | 'trusted-proxies'
  | 'master-key'
  | 'signing-keys'
  | 'database-version'
  | 'database-durability'
  | 'database-transport'
  | 'database-connections'
  | 'database-clock'
  | 'migrations'
  | 'backups'
  | 'audit-seals'
  | 'audit-verified'
  | 'audit-archives';

/** A message in English, and its code, by which pages translate it. */
export class ReadinessText {
  text: string;
  code: string;
  params?: Params;
}

/**
 * The one next step of a finding: a page of the admin area, a key of the configuration, a command, or the test mail.
 */
export type ReadinessRemedy =
  | { kind: 'page'; to: string; label: ReadinessText }
  | { kind: 'setting'; key: string }
  | { kind: 'command'; command: string }
  | { kind: 'test-mail' };

export class ReadinessCheck {
  code: ReadinessCode;
  state: ReadinessState;
  /** The subject of the check. */
  title: ReadinessText;
  /** The finding. */
  finding: ReadinessText;
  /** The reason why it matters. */
  why: ReadinessText;
  /** The advice to the operator; null for a check that passes. */
  advice: ReadinessText | null;
  remedy: ReadinessRemedy | null;
}

export class ReadinessSection {
  group: ReadinessGroup;
  title: ReadinessText;
  checks: ReadinessCheck[];
}

/** `GET /api/admin/readiness`, and `npx gatehouse check --json`. */
export class ReadinessReport {
  /** True if no check is blocking. */
  ready: boolean;
  /** The number of checks by state. */
  counts: Record<ReadinessState, number>;
  /** ISO 8601, UTC. */
  checkedAt: string;
  /** The name of the administrator; null for the command and for services. */
  checkedBy: string | null;
  issuer: string;
  version: string;
  sections: ReadinessSection[];
}

/** `POST /api/admin/readiness/test-mail/confirm`: the token in the link of the test mail. */
export class TestMailConfirmation {
  @IsString()
  @MaxLength(100)
  token: string;
}

/**
 * `GET /api/admin/first-steps`: facts about the first steps of a portal that the dashboard has from no other call. One
 * administrator puts the steps away for all.
 */
export class FirstSteps {
  /** True if the latest test mail was confirmed by its link. */
  mailArrived: boolean;
  /** True if the administrator who asks has one; null for one who signs in at another provider, and for a service. */
  secondFactor: boolean | null;
  isPutAway: boolean;
}

/** `PUT /api/admin/first-steps`. */
export class FirstStepsChange {
  @IsBoolean()
  isPutAway: boolean;
}
