import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

export interface UploadPace {
  /** Time for any request, whatever its length. */
  graceMs: number;
  /** Bytes of a body that have to arrive in each further second. */
  bytesPerSecond: number;
  /** Time between two looks at the requests that are arriving. */
  intervalMs: number;
}

/** A line of 256 kbit/s is fast enough. */
export const usualPace: UploadPace = { graceMs: 30_000, bytesPerSecond: 32 * 1024, intervalMs: 2_000 };

interface Upload {
  request: IncomingMessage;
  socket: Socket;
  begun: number;
  /** Bytes of the connection before. */
  bytesBefore: number;
}

/**
 * Ends requests whose body arrives too slowly, as `requestTimeout` of Node does, which gives the same time to a body of
 * megabytes as to a short one. Sending slowly must not be a cheap way to keep connections, so the time grows only by
 * what has arrived.
 */
export function limitUploads(server: Server, { graceMs, bytesPerSecond, intervalMs }: UploadPace): void {
  const uploads = new Set<Upload>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const upload of uploads) {
      const { request, socket, begun, bytesBefore } = upload;
      const allowedMs = graceMs + (1000 * (socket.bytesRead - bytesBefore)) / bytesPerSecond;
      const isOver = request.complete || socket.destroyed;
      const isLate = !isOver && performance.now() - begun > allowedMs;
      if (isOver || isLate) uploads.delete(upload);
      if (isLate)
        server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
    }
    if (uploads.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  server.prependListener('request', (request: IncomingMessage) => {
    const { headers, socket } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (!hasBody || request.complete) return;
    uploads.add({ request, socket, begun: performance.now(), bytesBefore: socket.bytesRead });
    timer ??= setInterval(look, intervalMs).unref();
  });
}
