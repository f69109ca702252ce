import type { LaunchContextRequest, LaunchContextResult } from '../../../src/contract/launch-context.js';
import { api } from './base.js';

const launchContextApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** With `patient`, what can be chosen of what belongs to that patient. */
    launchContext: build.query<LaunchContextRequest, { returnUrl: string; patient?: string }>({
      query: (params) => ({ url: 'launch-context', params }),
      // Another authorization may be for something else.
      keepUnusedDataFor: 0,
    }),
    chooseLaunchContext: build.mutation<LaunchContextResult, { returnUrl: string; resourceIds: string[] }>({
      query: ({ returnUrl, resourceIds }) => ({
        url: 'launch-context',
        method: 'POST',
        params: { returnUrl },
        body: resourceIds,
      }),
    }),
  }),
});

export const { useLaunchContextQuery, useChooseLaunchContextMutation } = launchContextApi;
