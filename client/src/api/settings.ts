import type { AppSettings } from '../../../src/contract/settings.js';
import { api } from './base.js';

const settingsApi = api.injectEndpoints({
  endpoints: (build) => ({
    settings: build.query<AppSettings, void>({
      query: () => 'settings',
      extraOptions: { notice: true },
      providesTags: ['Settings'],
    }),
  }),
});

export const { useSettingsQuery } = settingsApi;

/** What the pages go by when the settings could not be loaded: the sign-in page of the bare product. */
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
  return useSettingsQuery().data ?? fallback;
}
