import { useEffect, useState } from 'react';
import type { AppSettings } from '../../../src/contract/settings.js';
import { api } from './base.js';

const settingsApi = api.injectEndpoints({
  endpoints: (build) => ({
    settings: build.query<AppSettings, void>({
      query: () => 'settings',
      extraOptions: { notice: true, quietAgain: true },
      providesTags: ['Settings'],
    }),
  }),
});

const firstPauseMs = 2_000;
const longestPauseMs = 60_000;

/** Defaults for pages whose settings could not be loaded: the sign-in page of the bare product. */
const fallback: AppSettings = {
  loginPageText: null,
  organizationTitle: null,
  organizationLogoMimeType: null,
  organizationLogo: null,
  organizationFaviconMimeType: null,
  organizationFavicon: null,
  accentColor: null,
  adminAccountIsConfigured: true,
  setupTokenRequired: false,
  passkeysAllowed: true,
  passkeysRequired: false,
  helpDesk: null,
  lostFactorWaitHours: null,
  version: __APP_VERSION__,
  passwordSettings: {
    requireDigit: false,
    requiredLength: 0,
    requireUppercase: false,
    requireLowercase: false,
    requireNonAlphanumeric: false,
  },
  documentation: { product: '', smartConfiguration: '', fhirServer: '' },
};

export function useSettings(): AppSettings {
  // Looks and does not ask: a page that asked would, where settings have failed, ask again each time it is shown.
  return settingsApi.endpoints.settings.useQueryState().data ?? fallback;
}

/**
 * Asks for the settings, in one place for all pages. True once there is an answer, be it a failure: the pages then go
 * by the fallback, and the settings are asked for again with growing pauses.
 */
export function useLoadedSettings(): boolean {
  const { isSuccess, isError, refetch } = settingsApi.endpoints.settings.useQuery();
  const [failures, setFailures] = useState(0);
  useEffect(() => {
    if (!isError) return;
    const timer = setTimeout(
      () => {
        setFailures((count) => count + 1);
        refetch();
      },
      Math.min(longestPauseMs, firstPauseMs * 2 ** failures),
    );
    return () => clearTimeout(timer);
  }, [isError, failures, refetch]);
  return isSuccess || isError || failures > 0;
}
