/** `GET /api/admin/dashboard`. */
export class DashboardCounts {
  numberOfUsers: number;
  numberOfClients: number;
}

/** `GET /api/admin/dashboard/firely-server-status`; the names on the wire are kept for compatibility. */
export class ServerStatus {
  isFirelyServerAvailable: boolean;
  firelyServerUrl: string | null;
  isAllDataLoaded: boolean;
  /** Time of the check that this is the result of, ISO 8601; null before the first one. */
  checkedAt: string | null;
}
