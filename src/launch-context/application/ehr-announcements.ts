import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { message } from '../../contract/messages/message.js';
import { undamaged } from '../../contract/rules/damage.js';
import { nearest } from '../../contract/rules/nearest.js';
import { FhirServerFailure } from '../../fhir-server/application/fhir-server.js';
import { shownAddress } from '../../oidc/domain/address-difference.js';
import { EhrLaunches } from '../../oidc/domain/ehr-launches.js';
import type { EhrContext } from '../../oidc/domain/launch.js';
import { parameterLike, plainName } from '../../oidc/domain/parameter-names.js';
import { clientsNamedIn } from '../../oidc/domain/refused/named-client.js';
import {
  decidingEntry,
  identifyLaunch,
  launchIdOfDay,
  namedClientId,
  note,
} from '../../platform/activity/launch-notes.js';
import { StrayRecords } from '../../platform/activity/stray-records.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { equalInConstantTime, Secrets } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { log } from '../../platform/logging/log.js';
import { callerKey } from '../../platform/request/caller-key.js';
import {
  type Announcement,
  announcementParameters,
  baseOf,
  ForeignRecord,
  InvalidAnnouncement,
  type KnownBases,
  readAnnouncement,
  type Unread,
} from '../domain/announcement.js';
import { readAnnouncementBody } from '../domain/announcement-body.js';
import { type RecordsFault, recordsFault } from './announced-records.js';
import { Candidates } from './candidates.js';

/** A body as it was sent. */
interface SentBody {
  contentType: string | undefined;
  text: string;
  /** Names of the parameters in the address, where none is read. */
  inAddress: readonly string[];
  address: string;
}

/** For the EHR, which knows the ids that it sent. */
const sentences: Readonly<Record<RecordsFault['code'], string>> = {
  'ehr-patient-unknown': 'patient must be one of the FHIR server',
  'ehr-encounter-unknown': 'encounter must be one of the FHIR server',
  'ehr-encounter-of-other': 'encounter must be of the same patient',
};

function tenantText(tenant: string | undefined): string {
  return tenant === undefined ? 'the base without a tenant' : `the base of the tenant ${tenant}`;
}

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

/** Why no id and secret can be read, in a clause without any part of the header. */
function credentialsFault(authorization: string | undefined): string {
  if (authorization === undefined) return 'there is no Authorization header';
  const [, scheme = ''] = /^(bearer|dpop|digest|negotiate|token) /i.exec(authorization) ?? [];
  if (scheme !== '') return `its scheme is ${scheme}, and not Basic`;
  return /^basic /i.test(authorization)
    ? 'what follows Basic is no id and secret in base64'
    : 'its scheme is not Basic';
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
    private readonly clients: RegisteredClients,
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
    identifyLaunch({ clientId: clientsNamedIn({ address: body.address, body: body.text }).id });
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
    await this.assertClient(clientId);
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
      if (id === '' || secret === '') note('ehr-credentials-missing', { reason: credentialsFault(authorization) });
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

  /** RFC 9110 §15.5.6. */
  refuseMethod(method: string, query: Readonly<Record<string, unknown>>): never {
    const { client_id: clientId } = query;
    if (typeof clientId === 'string') identifyLaunch({ clientId });
    const found = Object.keys(query).length > 0 ? 'Its parameters were in the address, where logs keep them.' : '';
    this.noteRefused('request', () => note('ehr-method', { method, found }));
    throw new Problem('method-not-allowed', message('technical', { reason: `announce by POST, and not by ${method}` }));
  }

  private read({ contentType, text, inAddress }: SentBody): Announcement {
    const misplaced = inAddress.filter((name) => announcementParameters.includes(name));
    if (misplaced.length > 0) {
      this.noteRefused('known-client', () => note('ehr-in-address', { parameters: misplaced.join(', ') }));
      throw Problem.technical('invalid', 'send the parameters in the body, not in the address');
    }
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
      return readAnnouncement(body.parameters, (named) => this.basesFor(named));
    } catch (error) {
      if (error instanceof ForeignRecord) {
        const { tenant } = body.parameters;
        this.noteRefused('known-client', () => this.noteForeign(error, typeof tenant === 'string' ? tenant : ''));
      } else if (error instanceof InvalidAnnouncement) {
        this.noteRefused('known-client', () => note('ehr-parameter', { reason: error.reason }));
      }
      throw error;
    }
  }

  private noteForeign({ parameter, type, sent }: ForeignRecord, tenant: string): void {
    const bases = fhirBasesOf(this.config);
    const base = bases.find((one) => (one.tenant?.id ?? '') === tenant)?.url ?? '';
    const below = baseOf(sent, bases.flatMap(addressesOf));
    const other = bases.find((one) => below !== undefined && addressesOf(one).includes(below));
    const found = other ? `It is below ${below}, ${tenantText(other.tenant?.id)}.` : '';
    note('ehr-record-elsewhere', { parameter, sent: shownAddress(sent), base, right: `${type}/{id}`, found });
  }

  /** An announcement for a client that cannot be launched would be found out by the user, in the app. */
  private async assertClient(clientId: string | undefined): Promise<void> {
    if (clientId === undefined || (await this.clients.findByClientId(clientId))) return;
    const { isDisabled, nearest: near, damage, named } = await this.clients.resembling(clientId);
    let similar = 'None is like it.';
    if (near !== undefined) similar = `It is like ${near}: ${damage ?? 'it is misspelled'}.`;
    else if (named !== undefined) similar = `It is the name of ${named}.`;
    const right = near ?? named;
    const remedy =
      right === undefined
        ? 'Register the app as a client, and have the EHR send the client ID.'
        : `Have the EHR send ${right}. Register the app, if it is another one.`;
    this.noteRefused('known-client', () => {
      if (isDisabled) note('ehr-client-disabled', { clientId });
      else note('ehr-client-unknown', { clientId, similar, remedy });
    });
    throw Problem.technical('invalid', 'client_id must be that of a client that is registered and enabled');
  }

  /** Notes the cause in the record of this fault, its sender and the day, whose reference the EHR gets. */
  private noteRefused(kind: 'request' | 'known-client', noteCause: () => void): void {
    noteCause();
    const { code = '', detail = {} } = decidingEntry() ?? {};
    const values = Object.values(detail).filter((value) => typeof value === 'string');
    const id = this.stray.idFor(
      kind,
      launchIdOfDay(this.secrets, 'ehr', callerKey(), namedClientId() ?? '', code, ...values),
    );
    identifyLaunch({ id, kind: 'unknown' });
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

  private basesFor(tenant: string | undefined): KnownBases {
    const bases = fhirBasesOf(this.config);
    const base = bases.find((one) => one.tenant?.id === tenant);
    if (!base) throw new InvalidAnnouncement('tenant must be the id of a tenant');
    // Tenants may share a FHIR server, whose addresses are then those of both.
    return {
      own: addressesOf(base),
      others: bases.flatMap(addressesOf).filter((one) => !addressesOf(base).includes(one)),
    };
  }
}

/** The addresses of a FHIR base: as apps know it, and that of the server behind it. */
function addressesOf({ url, server: { baseUrl } }: FhirBase): string[] {
  return baseUrl === undefined ? [url] : [url, baseUrl.replace(/\/$/, '')];
}
