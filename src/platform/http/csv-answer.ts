import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/**
 * Sends a CSV file as it is made. It ends when the caller disconnects, and breaks the connection off when its source
 * fails.
 */
export async function answerCsv(response: Response, name: string, lines: AsyncIterable<string>): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}-${new Date().toISOString().slice(0, 10)}.csv"`,
    'cache-control': 'no-store',
  });
  await pipeline(Readable.from(lines), response).catch(() => undefined);
}
