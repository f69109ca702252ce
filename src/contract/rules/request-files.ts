/** Files of a request, and bytes of each (10 MB). */
export const mostFiles = 3;
export const longestFile = 10 * 1024 * 1024;
/** Media type of the body that sends a file, whatever the file is: its content decides. */
export const fileBodyType = 'application/octet-stream';
/** Address of the call that takes it. */
export const filesPath = '/api/requests/files';
