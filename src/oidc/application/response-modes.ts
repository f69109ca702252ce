import type Provider from 'oidc-provider';
import { engineRequest } from './engine-models.js';

/** How an answer may reach the app; the engine's `fragment` would leave a code in the browser's history and scripts. */
export const responseModes = ['query', 'form_post'] as const;

/** Refuses the modes that the engine has and we do not offer; the refusal itself goes by query. */
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
