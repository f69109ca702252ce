import type { SmartConfiguration } from '../../../src/contract/smart-configuration.js';
import { portalPath } from '../shared/addresses/base-path.js';
import { api } from './base.js';

const discoveryApi = api.injectEndpoints({
  endpoints: (build) => ({
    openidConfiguration: build.query<Readonly<Record<string, unknown>>, void>({
      // Whole, because it is not a call of `/api`: apps read the same one.
      query: () => `${window.location.origin}${portalPath('/.well-known/openid-configuration')}`,
      extraOptions: { notice: true },
    }),
    smartConfiguration: build.query<SmartConfiguration, void>({
      query: () => 'admin/configuration/fs-smart-configuration',
      extraOptions: { notice: true },
    }),
  }),
});

export const { useOpenidConfigurationQuery, useSmartConfigurationQuery } = discoveryApi;
