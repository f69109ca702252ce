import { Injectable, type OnModuleInit } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { undamaged } from '../../contract/rules/damage.js';
import { nearest } from '../../contract/rules/nearest.js';
import { FhirServerFailure } from '../../fhir-server/application/fhir-server.js';
import { EhrLaunches } from '../../oidc/domain/ehr-launches.js';
import type { EhrContext } from '../../oidc/domain/launch.js';
import { parameterLike, plainName } from '../../oidc/domain/parameter-names.js';
import { decidingEntry, identifyLaunch, launchIdOfDay, note } from '../../platform/activity/launch-notes.js';
import { StrayRecords } from '../../platform/activity/stray-records.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { equalInConstantTime, Secrets } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { log } from '../../platform/logging/log.js';
import { callerKey } from '../../platform/request/caller-key.js';
import { type Announcement, InvalidAnnouncement, readAnnouncement, type Unread } from '../domain/announcement.js';
import { readAnnouncementBody } from '../domain/announcement-body.js';
import { type RecordsFault, recordsFault } from './announced-records.js';
import { Candidates } from './candidates.js';

/** A body as it was sent. */
interface SentBody {
  contentType: string | undefined;
  text: string;
}

/** For the EHR, which knows the ids that it sent. */
const sentences: Readonly<Record<RecordsFault['code'], string>> = {
  'ehr-patient-unknown': 'patient must be one of the FHIR server',
  'ehr-encounter-unknown': 'encounter must be one of the FHIR server',
  'ehr-encounter-of-other': 'encounter must be of the same patient',
};

function noteRecords(fault: RecordsFault): void {
  if (fault.code === 'ehr-patient-unknown') note(fault.code, fault.detail);
  else if (fault.code === 'ehr-encounter-unknown') note(fault.code, fault.detail);
  else note(fault.code, fault.detail);
}

/** Names of unread parameters that a record has. */
const mostNames = 6;

/** `patient_id (perhaps patient), fhirContext.roles (perhaps role)`. */
function unreadText(unread: readonly Unread[]): string {
  const texts = unread.map(({ within, name, known }) => {
    if (!plainName.test(name)) return 'a name that is not plain';
    const meant = parameterLike(name, known);
    return `${within === undefined ? '' : `${within}.`}${name}${meant === undefined ? '' : ` (perhaps ${meant})`}`;
  });
  const different = [...new Set(texts)];
  const more = different.length - mostNames;
  return [...different.slice(0, mostNames), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Wrong secrets from one address; a right one costs nothing, and does not help while none is left. */
const wrongSecrets: Limit = { name: 'ehr-secret', points: 50, seconds: 60 };

/**
 * Announcements of an EHR that it is about to launch an app with a context: called by a configured system, never by an
 * app. A practitioner gets no patient by it whom they could not choose themselves.
 */
@Injectable()
export class EhrAnnouncements implements OnModuleInit {
  constructor(
    private readonly launches: EhrLaunches,
    private readonly candidates: Candidates,
    private readonly stray: StrayRecords,
    private readonly config: Config,
    private readonly secrets: Secrets,
    private readonly database: Database,
    private readonly audit: Audit,
    private readonly limits: Limits,
  ) {}

  onModuleInit(): void {
    this.launches.limitBy((context, practitioner, tenant) =>
      this.mayOpen(context, practitioner, tenant).catch((err: unknown) => {
        log.warn({ err }, 'practitioner panel check failed for EHR launch');
        return false;
      }),
    );
  }

  /** Returns the value that the EHR passes to the app as `launch`. */
  async announce(authorization: string | undefined, body: SentBody): Promise<string> {
    await this.limits.takePoint(wrongSecrets, callerKey()).catch((error: unknown) => {
      const { retryAfterSeconds: seconds } = error instanceof Problem ? error.options : {};
      if (seconds !== undefined) this.noteRefused('request', () => note('ehr-secrets-throttled', { seconds }));
      throw error;
    });
    const caller = this.callerOf(authorization);
    await this.limits.giveBack(wrongSecrets, callerKey());
    const { clientId, user, tenant, context, unread } = this.read(body);
    const names = unread.length > 0 ? unreadText(unread) : undefined;
    // A refused announcement has a record of its own.
    if (names !== undefined) note('launch-parameters-unread', { names });
    await this.assertAllowed(context, user, tenant);
    const fault = await recordsFault(context, this.candidates.forTenant(tenant));
    if (fault) {
      this.noteRefused('known-client', () => noteRecords(fault));
      throw Problem.technical('invalid', sentences[fault.code]);
    }
    return this.database.transaction(async () => {
      const { patient, encounter } = context;
      const detail = { caller, user, tenant, patient, encounter };
      await this.audit.record({ type: 'launch.announced', outcome: 'success', clientId, detail });
      return this.launches.register({ context, clientId, user, tenant, unread: names });
    });
  }

  /** `practitioner` is `Practitioner/…`. Throws `FhirServerFailure` while the FHIR server does not say. */
  private async mayOpen(context: EhrContext, practitioner: string, tenant: string | undefined): Promise<boolean> {
    const candidates = this.candidates.forTenant(tenant);
    if (!candidates.areLimited) return true;
    const { patient, encounter, fhirContext } = context;
    // Without a patient these cannot be attributed to one.
    if (patient === undefined) return encounter === undefined && fhirContext === undefined;
    return candidates.isInPanel(patient, practitioner);
  }

  private callerOf(authorization: string | undefined): string {
    const [, encoded = ''] = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '') ?? [];
    const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    // All are compared, so that the time reveals nothing.
    const known = this.config.ehr.callers.filter((caller) =>
      [equalInConstantTime(caller.secret, secret), caller.id === id].every(Boolean),
    );
    if (known.length > 0) return id;
    const isSecret = this.config.ehr.callers.some((caller) => caller.secret === id);
    const caller = isSecret ? '(a secret)' : id.slice(0, 100);
    log.warn({ caller }, 'launch announcement from an unknown system refused');
    this.noteRefused('request', () => {
      if (id === '' || secret === '') note('ehr-credentials-missing');
      else if (this.config.ehr.callers.some((caller) => caller.id === secret && caller.secret === id)) {
        note('ehr-credentials-swapped', { caller: secret });
      } else if (this.config.ehr.callers.some((caller) => caller.id === id)) note('ehr-secret-wrong', { caller: id });
      else note('ehr-unknown', { caller: id, similar: this.similarCaller(id) });
    });
    throw new Problem('unauthenticated', message('calling-system-unknown'));
  }

  private similarCaller(id: string): string {
    const ids = this.config.ehr.callers.map((caller) => caller.id);
    const { text, damage } = undamaged(id, ids) ?? { text: nearest(id, ids), damage: 'it is misspelled' };
    return text === undefined ? 'None is like it.' : `It is like ${text}: ${damage}.`;
  }

  private read({ contentType, text }: SentBody): Announcement {
    const body = readAnnouncementBody(contentType, text);
    if ('reason' in body) {
      const type = contentType?.split(';', 1)[0] || 'no type';
      this.noteRefused('known-client', () => note('ehr-body', { type, reason: body.reason }));
      throw Problem.technical(
        'invalid',
        `send application/x-www-form-urlencoded, or a JSON object as application/json: ${body.reason}`,
      );
    }
    const { client_id: clientId } = body.parameters;
    if (typeof clientId === 'string' && clientId !== '') identifyLaunch({ clientId });
    try {
      return readAnnouncement(body.parameters, (named) => this.addressesOf(named));
    } catch (error) {
      if (error instanceof InvalidAnnouncement) {
        this.noteRefused('known-client', () => note('ehr-parameter', { reason: error.reason }));
      }
      throw error;
    }
  }

  /** Notes the cause in the record of this fault, its sender and the day, whose reference the EHR gets. */
  private noteRefused(kind: 'request' | 'known-client', noteCause: () => void): void {
    noteCause();
    const { code = '', detail = {} } = decidingEntry() ?? {};
    const values = Object.values(detail).filter((value) => typeof value === 'string');
    identifyLaunch({ id: this.stray.idFor(kind, launchIdOfDay(this.secrets, 'ehr', callerKey(), code, ...values)) });
  }

  /** The EHR gets its answer at once; the user is checked again at sign-in. */
  private async assertAllowed(
    context: EhrContext,
    user: string | undefined,
    tenant: string | undefined,
  ): Promise<void> {
    if (!user?.startsWith('Practitioner/')) return;
    const allowed = await this.mayOpen(context, user, tenant).catch((cause: unknown) => {
      if (!(cause instanceof FhirServerFailure)) throw cause;
      this.noteRefused('known-client', () => note('ehr-panel-unread'));
      throw new Problem('unavailable', message('records-unreachable'), { cause });
    });
    if (allowed) return;
    this.noteRefused('known-client', () => note('ehr-patient-outside-panel'));
    throw Problem.technical('invalid', 'patient must be one that this user may choose');
  }

  /** The addresses of the FHIR base of a tenant: as apps know it, and that of the server behind it. */
  private addressesOf(tenant: string | undefined): string[] {
    const base = fhirBasesOf(this.config).find((one) => one.tenant?.id === tenant);
    if (!base) throw new InvalidAnnouncement('tenant must be the id of a tenant');
    const { baseUrl } = base.server;
    return baseUrl === undefined ? [base.url] : [base.url, baseUrl.replace(/\/$/, '')];
  }
}
