import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { FileNames, RequestFileView } from '../../contract/requests.js';
import { mostFiles } from '../../contract/rules/request-files.js';
import { Audit } from '../../platform/audit/audit.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { removeInPortions } from '../../platform/process/portions.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';
import { type FileType, typeOfContent } from '../domain/file-content.js';
import { Requests, requestGone } from '../domain/request.js';
import { fileGone, type RequestFile, RequestFiles } from '../domain/request-file.js';
import { RequestDeciders } from './request-deciders.js';

const uploads: Limit = { name: 'request-file', points: 40, seconds: 24 * 3600 };
const retention = { unsentHours: 24, decidedDays: 7, mostDays: 90 };
const purgeEveryMs = 3_600_000;
/** Each removal of the files of a request is recorded, in the same transaction. */
const purgedAtOnce = 200;

/** Files of requests: encrypted at rest, opened by administrators only, and removed after the decision. */
@Injectable()
export class RequestFileStore implements OnModuleInit, OnModuleDestroy {
  private purges: Repeated | undefined;
  private isStopped = false;

  constructor(
    private readonly requests: Requests,
    private readonly files: RequestFiles,
    private readonly deciders: RequestDeciders,
    private readonly secrets: Secrets,
    private readonly limits: Limits,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.purges = repeat(purgeEveryMs, 'removal of old requests and their files failed; will retry', () =>
      this.purge(),
    );
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    await this.purges?.stop();
  }

  /** Keeps a file until its request is sent. Its type is that of its content. Throws `invalid` at `file`. */
  async add(
    accountId: string,
    { name: path, label }: FileNames,
    content: Buffer | undefined,
  ): Promise<RequestFileView> {
    if (!content) throw refusedFile('request-file-large');
    if (content.length === 0) throw refusedFile('request-file-empty');
    const mediaType = typeOfContent(content);
    if (!mediaType) throw refusedFile('request-file-type');
    await this.limits.takePoint(uploads, accountId);
    const id = randomUUID();
    const name = nameIn(path);
    const sealed = this.secrets.sealBytes('request-files', content, id);
    const file = { id, accountId, requestId: null, label, name, mediaType, bytes: content.length };
    const added = await this.database.transaction(async () => {
      // Sent again, because the answer was lost.
      const alike = await this.files.unsentLike(file);
      const same = alike.find((one) =>
        this.secrets.openBytes('request-files', one.content, one.file.id).equals(content),
      );
      return same?.file ?? this.files.add(file, sealed, mostFiles);
    });
    if (!added) throw refusedFile('request-files-many');
    return fileView(added);
  }

  async discard(accountId: string, id: string): Promise<void> {
    if (!(await this.files.removeUnsent(accountId, id))) throw fileGone();
  }

  /** Opens a file of a request for an administrator. Each opening is recorded. */
  async open(
    requestId: string,
    fileId: string,
    administrator: string,
  ): Promise<{ name: string; mediaType: FileType; content: Buffer }> {
    const request = await this.requests.findById(requestId);
    if (!request) throw requestGone();
    await this.deciders.assertOtherCase(request, administrator);
    const file = (await this.files.ofRequests([requestId])).find(({ id }) => id === fileId.toLowerCase());
    if (!file) throw fileGone();
    const sealed = await this.files.contentOf(file.id);
    if (!sealed) throw fileGone();
    await this.database.transaction(async () => {
      await this.files.noteOpening(file.id, administrator);
      const detail = { file: file.id };
      await this.audit.record({ type: 'request.file-opened', outcome: 'success', subject: requestId, detail });
    });
    const content = this.secrets.openBytes('request-files', sealed, file.id);
    return { name: file.name, mediaType: file.mediaType, content };
  }

  /** Removes old files, with a record for each request, and requests that were closed long ago. */
  async purge(): Promise<void> {
    const isStopped = () => this.isStopped;
    await removeInPortions(purgedAtOnce, (most) => this.files.removeUnsentOld(retention, most), isStopped);
    await removeInPortions(purgedAtOnce, (most) => this.removeContents(most), isStopped);
    await removeInPortions(purgedAtOnce, (most) => this.requests.purge(most), isStopped);
  }

  private removeContents(most: number): Promise<number> {
    return this.database.transaction(async () => {
      let removed = 0;
      for (const { requestId, files } of await this.files.removeOld(retention, most)) {
        removed += files;
        const detail = { files };
        await this.audit.record({ type: 'request.files-removed', outcome: 'success', subject: requestId, detail });
      }
      return removed;
    });
  }
}

export function fileView({ id, label, name, mediaType, bytes, isKept }: RequestFile): RequestFileView {
  return { id, label, name, mediaType, bytes, isKept };
}

/** Some browsers send a name with its folders, which are no concern of the hospital. */
function nameIn(path: string): string {
  return path.split(/[\\/]/).at(-1)?.trim() || 'file';
}

function refusedFile(
  code: 'request-file-empty' | 'request-file-large' | 'request-file-type' | 'request-files-many',
): Problem {
  return Problem.invalid([{ field: 'file', messages: [message(code)] }]);
}
