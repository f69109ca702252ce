import type { ConsentRequest, ConsentSubmission } from '../../../src/contract/consent.js';
import { api } from './base.js';

const consentApi = api.injectEndpoints({
  endpoints: (build) => ({
    consentRequest: build.query<ConsentRequest, { returnUrl: string }>({
      query: (params) => ({ url: 'consent', params }),
      // Another authorization of the same app may ask for something else.
      keepUnusedDataFor: 0,
    }),
    answerConsent: build.mutation<void, ConsentSubmission>({
      query: (body) => ({ url: 'consent', method: 'POST', body }),
    }),
  }),
});

export const { useConsentRequestQuery, useAnswerConsentMutation } = consentApi;
