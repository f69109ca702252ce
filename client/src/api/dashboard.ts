import type { DashboardCounts, ServerStatus } from '../../../src/contract/dashboard.js';
import { api } from './base.js';

const dashboardApi = api.injectEndpoints({
  endpoints: (build) => ({
    dashboardCounts: build.query<DashboardCounts, void>({
      query: () => 'admin/dashboard',
      extraOptions: { notice: true },
    }),
    /** A failed call means 'unavailable' and leaves the rest as it was last seen (`spec §4`). */
    serverStatus: build.query<ServerStatus, void>({
      queryFn: async (_, queryApi, _extra, call): Promise<{ data: ServerStatus }> => {
        const { data } = await call('admin/dashboard/firely-server-status');
        if (data) return { data: data as ServerStatus };
        const last = dashboardApi.endpoints.serverStatus.select()(queryApi.getState() as never).data;
        return {
          data: {
            isFirelyServerAvailable: false,
            firelyServerUrl: last?.firelyServerUrl ?? null,
            isAllDataLoaded: last?.isAllDataLoaded ?? false,
          },
        };
      },
      extraOptions: { spared: 'status' },
    }),
  }),
});

export const { useDashboardCountsQuery, useServerStatusQuery } = dashboardApi;
