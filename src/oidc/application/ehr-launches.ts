import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import { OidcRecords } from '../../oidc-store/application/oidc-records.js';
import type { FhirBase } from '../../platform/config/fhir-bases.js';
import { randomId } from '../../platform/crypto/secrets.js';
import type { UserFacts } from '../../users/application/user-directory.js';
import { engineRequest } from './engine-models.js';
import { type ChosenResource, type EhrContext, type LaunchSources, ownRecord } from './launch.js';

/** A launch that an EHR announced, with its user if the EHR named one. */
export interface EhrLaunch {
  context: EhrContext;
  clientId?: string;
  /** `sub` or `fhirUser` (`Practitioner/1`) of the user. */
  user?: string;
  /** Id of the tenant of the launch's patient. */
  tenant?: string;
}

/** True if a practitioner (`Practitioner/…`) of a tenant may have this context. */
type Admission = (context: EhrContext, practitioner: string, tenant: string | undefined) => Promise<boolean>;

interface Gathering {
  /** The `launch` parameter. */
  launch: unknown;
  clientId: string;
  account: UserFacts;
  /** FHIR base that the client requested. */
  base: FhirBase;
  chosen: ChosenResource[];
}

const model = 'EhrLaunch';
const lifetimeSeconds = 600;

/**
 * The `launch` values of EHR launches: 256 random bits, stored hashed, valid for ten minutes and for one code. The
 * value travels through browsers, so it grants nothing by itself: its user has to sign in and needs permission for the
 * launch context.
 */
@Injectable()
export class EhrLaunches {
  private admits: Admission = async () => true;

  constructor(private readonly records: OidcRecords) {}

  /** Registers the check of another module that limits for whom a practitioner may launch a client. */
  limitBy(admits: Admission): void {
    this.admits = admits;
  }

  /** Registers a launch; returns the value of the `launch` parameter. */
  async register({ context, clientId, user, tenant }: EhrLaunch): Promise<string> {
    const id = randomId();
    // Not named `clientId` and `accountId`: revoking a client's grants must not end a launch that has no grant yet.
    await this.records.upsert(model, id, { context, forClient: clientId, forUser: user, tenant }, lifetimeSeconds);
    return id;
  }

  /** Finds a launch; undefined when it is unknown, expired, used, or for another client or FHIR base. */
  async find(id: string, clientId: string, base: FhirBase): Promise<EhrLaunch | undefined> {
    const found = await this.records.find(model, id);
    if (!found || found.payload.consumed !== undefined) return undefined;
    const { context, forClient, forUser, tenant } = found.payload as {
      context: EhrContext;
      forClient?: string;
      forUser?: string;
      tenant?: string;
    };
    if ((forClient !== undefined && forClient !== clientId) || tenant !== base.tenant?.id) return undefined;
    return { context, clientId: forClient, user: forUser, tenant };
  }

  /** Sources of this authorization's context; undefined when its `launch` value is not for it. */
  async sources({ launch, clientId, account, base, chosen }: Gathering): Promise<LaunchSources | undefined> {
    const own = ownRecord(account.fhirUser);
    if (launch === undefined) return { own, chosen };
    const found = await this.find(String(launch), clientId, base);
    if (!found || !mayUse(found, account)) return undefined;
    const { userType, fhirUser = '' } = account;
    if (userType === 'Practitioner' && !(await this.admits(found.context, fhirUser, base.tenant?.id))) return undefined;
    return { own, ehr: found.context, chosen };
  }

  /** Consumes the launch: true for exactly one caller. */
  use(id: string): Promise<boolean> {
    return this.records.consume(model, id);
  }
}

/** True if the launch is for this user and shows only permitted data: a patient never gets another patient's record. */
export function mayUse({ context, user }: EhrLaunch, { id, userType, fhirUser }: UserFacts): boolean {
  if (user !== undefined && user !== id && user !== fhirUser) return false;
  if (userType !== 'Patient') return userType === 'Practitioner';
  const { patient, encounter, fhirContext } = context;
  if (patient === undefined) return encounter === undefined && fhirContext === undefined;
  return fhirUser === `Patient/${patient}`;
}

/** Consumes the launch value in the transaction that creates the code for it. */
export function installLaunchUse(provider: Provider, launches: EhrLaunches): void {
  const save = provider.AuthorizationCode.prototype.save;
  Object.defineProperty(provider.AuthorizationCode.prototype, 'save', {
    configurable: true,
    async value(this: InstanceType<Provider['AuthorizationCode']>) {
      const launch = engineRequest().oidc.params?.launch;
      if (typeof launch === 'string' && !(await launches.use(launch))) throw unknownLaunch();
      return save.call(this);
    },
  });
}

/** One error for every reason (security O-06). */
export function unknownLaunch(): errors.InvalidRequest {
  return new errors.InvalidRequest('launch is not known');
}
