import type {
  ClientActivity,
  LaunchDay,
  LaunchesQuery,
  LaunchList,
  LaunchView,
} from '../../../src/contract/activity.js';
import { api } from './base.js';

const activityApi = api.injectEndpoints({
  endpoints: (build) => ({
    launches: build.query<LaunchList, Partial<LaunchesQuery>>({
      query: (params) => ({ url: 'admin/activity', params }),
      // The page repeats the call by itself: what it has shown before is out of date.
      extraOptions: { notice: true, quietAgain: true },
      keepUnusedDataFor: 0,
    }),
    launch: build.query<LaunchView, string>({
      query: (reference) => `admin/activity/${encodeURIComponent(reference)}`,
      extraOptions: { quietAgain: true },
      keepUnusedDataFor: 0,
    }),
    launchDays: build.query<LaunchDay[], void>({
      query: () => 'admin/activity/days',
      extraOptions: { notice: true, quietAgain: true },
      keepUnusedDataFor: 0,
    }),
    clientActivity: build.query<ClientActivity, string>({
      query: (id) => `admin/client/${encodeURIComponent(id)}/activity`,
      keepUnusedDataFor: 0,
    }),
  }),
});

export const { useLaunchesQuery, useLaunchQuery, useLaunchDaysQuery, useClientActivityQuery } = activityApi;
