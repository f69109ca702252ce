import { message } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';
import type { FileType } from './file-content.js';

/** A file that a user sends with a request. */
export interface RequestFile {
  id: string;
  /** The user who has sent it. */
  accountId: string;
  /** Null until the request is sent. */
  requestId: string | null;
  label: string;
  name: string;
  mediaType: FileType;
  bytes: number;
  /** False once it has been removed. */
  isKept: boolean;
}

/** Times after which files are removed. */
export interface FileRetention {
  /** Hours for a file whose request was not sent. */
  unsentHours: number;
  /** Days after the decision, and in all. */
  decidedDays: number;
  mostDays: number;
}

/** Files of requests; their content is sealed for the id of the file. */
export abstract class RequestFiles {
  /**
   * Unsent files of the user with this name, label and size. Until the caller's transaction ends, the user's other
   * uploads wait.
   */
  abstract unsentLike(
    file: Pick<RequestFile, 'accountId' | 'name' | 'label' | 'bytes'>,
  ): Promise<{ file: RequestFile; content: Buffer }[]>;
  /** Undefined if the user has as many unsent files as `most`. */
  abstract add(file: Omit<RequestFile, 'isKept'>, content: Buffer, most: number): Promise<RequestFile | undefined>;
  abstract ofRequests(requestIds: readonly string[]): Promise<RequestFile[]>;
  /** Sends unsent files of the user with a request; returns the number of those that were there. */
  abstract attach(accountId: string, ids: readonly string[], requestId: string): Promise<number>;
  /** True if there was such a file that was not sent. */
  abstract removeUnsent(accountId: string, id: string): Promise<boolean>;
  /** The sealed content; undefined once it has been removed. */
  abstract contentOf(id: string): Promise<Buffer | undefined>;
  /** Notes that an administrator has opened it. */
  abstract noteOpening(id: string, administrator: string): Promise<void>;
  /** Ids of the files of a request that an administrator has opened. */
  abstract openedBy(requestId: string, administrator: string): Promise<Set<string>>;
  /** Removes the content of the files of a request; returns their number. */
  abstract removeContent(requestId: string): Promise<number>;
  /** Removes the content of at most so many old files of requests; returns the number for each request. */
  abstract removeOld(retention: FileRetention, most: number): Promise<{ requestId: string; files: number }[]>;
  /** Removes at most so many old files that were never sent; returns their number. */
  abstract removeUnsentOld(retention: FileRetention, most: number): Promise<number>;
}

export function fileGone(): Problem {
  return new Problem('not-found', message('request-file-gone'));
}
