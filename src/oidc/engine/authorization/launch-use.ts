import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import type { EhrLaunches } from '../../domain/ehr-launches.js';
import { engineRequest } from '../shared/engine-models.js';

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
