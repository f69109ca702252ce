import type Provider from 'oidc-provider';
import { engineRequest } from './shared/engine-models.js';

/** Supported response modes; the engine's `fragment` would leave a code in the browser's history and scripts. */
export const responseModes = ['query', 'form_post'] as const;

/** Refuses response modes that the engine has and Gatehouse does not support; the refusal itself is sent by query. */
export function installResponseModes(provider: Provider): void {
  Object.defineProperty(provider.Client.prototype, 'responseModeAllowed', {
    value() {
      const params = engineRequest().oidc.params;
      const mode = params?.response_mode;
      if (!params || mode === undefined || responseModes.some((known) => known === mode)) return true;
      params.response_mode = undefined;
      return false;
    },
  });
}
