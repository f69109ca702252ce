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
            checkedAt: last?.checkedAt ?? null,
          },
        };
      },
      extraOptions: { spared: 'status' },
      providesTags: ['ServerStatus'],
    }),
  }),
});

export const { useDashboardCountsQuery } = dashboardApi;

/** Between two questions about the FHIR server (`spec §9`). */
const pollingInterval = 5000;

/**
 * State of the FHIR server: requested when a page opens and when its window gets the focus again, and every five
 * seconds until the server is up and everything is loaded (`spec §4`). Undefined until the first answer.
 */
export function useServerStatus({ skip = false } = {}): ServerStatus | undefined {
  const { data } = dashboardApi.useServerStatusQuery(undefined, {
    skip,
    refetchOnMountOrArgChange: true,
    refetchOnFocus: true,
    refetchOnReconnect: true,
  });
  const settled = data?.isFirelyServerAvailable && data.isAllDataLoaded;
  // A second subscription to the same answer, which lives only as long as there is something to wait for.
  dashboardApi.useServerStatusQuery(undefined, {
    skip: skip || Boolean(settled),
    pollingInterval,
    skipPollingIfUnfocused: true,
  });
  return data;
}
