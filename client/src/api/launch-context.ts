import type {
  LaunchContextQuery,
  LaunchContextRequest,
  LaunchContextResult,
} from '../../../src/contract/launch-context.js';
import { api } from './base.js';

const launchContextApi = api.injectEndpoints({
  endpoints: (build) => ({
    launchContext: build.query<LaunchContextRequest, LaunchContextQuery>({
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

export const { useLaunchContextQuery, useLazyLaunchContextQuery, useChooseLaunchContextMutation } = launchContextApi;
