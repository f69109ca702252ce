import type { Patient, Resource } from '@medplum/fhirtypes';

/** The part of `fhirclient` that the app uses; its pages load it as a script of their own. */
declare global {
  interface FhirClient {
    state: { serverUrl: string; tokenResponse: { scope?: string; [member: string]: unknown } };
    patient: { id: string | null; read(): Promise<Patient> };
    getIdToken(): Record<string, unknown> | null;
    request(url: string, options: { pageLimit: number; flat: true }): Promise<Resource[]>;
  }

  const FHIR: {
    oauth2: {
      authorize(options: {
        iss: string;
        clientId: string;
        redirectUri: string;
        scope: string;
        pkceMode: 'required';
        /** Gives the address instead of going there. */
        noRedirect?: boolean;
      }): Promise<string | undefined>;
      ready(): Promise<FhirClient>;
    };
  };
}
