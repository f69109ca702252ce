import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { decidingEntry, identifyLaunch, note } from '../../platform/activity/launch-notes.js';
import type { UnreadRequest } from '../../platform/http/unread-request.js';
import { StartLimits } from '../../platform/limits/start-limits.js';
import { callerKey } from '../../platform/request/caller-key.js';
import { enginePaths } from '../domain/engine-paths.js';
import { RefusedTokens } from '../domain/refused/refused-tokens.js';

/** Records of requests that were refused before the engine has read them. `text` is the body, as far as it was read. */
@Injectable()
export class UnreadRequests {
  constructor(
    private readonly starts: StartLimits,
    private readonly refused: RefusedTokens,
  ) {}

  /** Notes a request that was not parsed for its network address and fault. */
  async noteRefused(
    path: string,
    unread: UnreadRequest,
    noteStart: () => void,
    request: IncomingMessage,
    text = '',
  ): Promise<void> {
    if (isStart(path)) return this.noteStart(noteStart, request, text);
    note('endpoint-unreadable', { endpoint: endpointName(path), ...unread });
    await this.file(`${path} ${unread.fault}`, request, text);
  }

  async noteStart(noteCause: () => void, request: IncomingMessage, text = ''): Promise<void> {
    noteCause();
    const { code, detail } = decidingEntry() ?? {};
    await this.fileRefused([code, ...Object.values(detail ?? {})].join(' '), request, text);
  }

  /** Files a request that begins no launch. */
  file(fault: string, request: IncomingMessage, text = ''): Promise<void> {
    identifyLaunch({ kind: 'unknown' });
    return this.fileRefused(fault, request, text);
  }

  /** Files a request that the engine has not read: by its sender, its fault and the client that it names. */
  private async fileRefused(fault: string, { headers, url }: IncomingMessage, body: string): Promise<void> {
    const { authorization } = headers;
    const named = await this.refused.identifyClient({ authorization, address: url, body });
    this.starts.identifyRefused(callerKey(), `${fault} ${named}`);
  }

  /** Notes a request to introspection whose access token was refused. */
  async noteBearer({ headers }: IncomingMessage, refusal: { error: string; sentence: string }): Promise<void> {
    const { authorization } = headers;
    await this.refused.note({ method: 'POST', type: 'introspection', target: '', authorization, ...refusal });
  }

  /** Notes a start beyond the limit of its address. */
  async noteExhausted(seconds: number, request: IncomingMessage, text = ''): Promise<void> {
    note('starts-exhausted', { maximum: this.starts.most, seconds });
    await this.fileRefused('exhausted', request, text);
  }
}

/** An endpoint in words. */
export function endpointName(path: string): string {
  const found = Object.entries(enginePaths).find(([, one]) => path === one || path.startsWith(`${one}/`))?.[0];
  return (found ?? 'discovery').replace('end_session', 'sign-out').replace('jwks', 'keys').replaceAll('_', ' ');
}

function isStart(path: string): boolean {
  return path === enginePaths.authorization || path === enginePaths.pushed_authorization_request;
}
