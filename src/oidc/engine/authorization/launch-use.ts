import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import { note } from '../../../platform/activity/launch-notes.js';
import type { FhirBase } from '../../../platform/config/fhir-bases.js';
import type { EhrLaunches } from '../../domain/ehr-launches.js';
import { engineRequest } from '../shared/engine-models.js';

/** Consumes the launch value in the transaction that creates the code for it. */
export function installLaunchUse(provider: Provider, launches: EhrLaunches): void {
  const save = provider.AuthorizationCode.prototype.save;
  Object.defineProperty(provider.AuthorizationCode.prototype, 'save', {
    configurable: true,
    async value(this: InstanceType<Provider['AuthorizationCode']>) {
      const launch = engineRequest().oidc.params?.launch;
      if (typeof launch === 'string' && !(await launches.use(launch))) {
        note('launch-used', { seconds: 0 });
        throw unknownLaunch();
      }
      return save.call(this);
    },
  });
}

/** A `launch` value that was presented. */
interface PresentedLaunch {
  launch: string;
  clientId: string;
  base: Pick<FhirBase, 'tenant' | 'url'>;
}

/** Notes why a launch was not found. Nothing if it was: then it is not for this user. */
export async function noteLaunchFault(
  launches: EhrLaunches,
  { launch, clientId, base }: PresentedLaunch,
): Promise<void> {
  const fault = await launches.fault(launch, clientId, base);
  switch (fault?.reason) {
    case 'unknown':
      return note('launch-unknown');
    case 'malformed':
      return note('launch-malformed', { length: fault.length });
    case 'damaged':
      return note('launch-damaged', { damage: fault.damage });
    case 'used':
      return note('launch-used', { seconds: fault.secondsAgo });
    case 'expired':
      return note('launch-expired', { seconds: fault.secondsAgo });
    case 'foreign':
      return note('launch-foreign', { registered: fault.clientId, sent: clientId });
    case 'other-tenant':
      return note('launch-other-tenant', { registered: fault.tenant ?? 'the base without a tenant', sent: base.url });
  }
}

/** One error for every reason (security O-06). */
export function unknownLaunch(): errors.InvalidRequest {
  return new errors.InvalidRequest('launch is not known');
}
