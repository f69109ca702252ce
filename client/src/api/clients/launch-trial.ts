import type {
  StartedTrial,
  TrialOptions,
  TrialRequest,
  TrialReturn,
  TrialView,
} from '../../../../src/contract/clients/launch-trial.js';
import { api } from '../base.js';

const clientPath = (id: string) => `admin/client/${encodeURIComponent(id)}/trial`;
const path = (id: string) => `admin/launch-trial/${encodeURIComponent(id)}`;

const trialApi = api.injectEndpoints({
  endpoints: (build) => ({
    trialOptions: build.query<TrialOptions, string>({ query: clientPath, keepUnusedDataFor: 0 }),
    startTrial: build.mutation<StartedTrial, { client: string } & TrialRequest>({
      query: ({ client, ...body }) => ({ url: clientPath(client), method: 'POST', body }),
    }),
    answerTrial: build.mutation<void, { id: string } & TrialReturn>({
      query: ({ id, ...body }) => ({ url: `${path(id)}/answer`, method: 'POST', body }),
    }),
    trial: build.query<TrialView, string>({
      query: path,
      extraOptions: { quietAgain: true },
      keepUnusedDataFor: 0,
    }),
  }),
});

export const { useTrialOptionsQuery, useStartTrialMutation, useAnswerTrialMutation, useTrialQuery } = trialApi;
