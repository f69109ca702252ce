import { Injectable } from '@nestjs/common';
import { type Message, message } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';
import { type ManagedKind, type ObjectMark, ObjectMarks } from '../domain/object-marks.js';

export type { ManagedKind };

const refusals: Record<ManagedKind, Message> = {
  client: message('client-managed'),
  tag: message('tag-managed'),
  account: message('user-managed'),
};

/**
 * The objects that a file manages (`gatehouse apply`). Administrators cannot change these by hand until they are
 * released. A use case asks with its row locked: `apply` locks the row as well before it adds a mark.
 */
@Injectable()
export class ManagedObjects {
  constructor(private readonly marks: ObjectMarks) {}

  async isManaged(kind: ManagedKind, id: string): Promise<boolean> {
    return (await this.marks.markOf(kind, id)) !== undefined;
  }

  async refuseManaged(kind: ManagedKind, id: string): Promise<void> {
    if (await this.isManaged(kind, id)) throw new Problem('conflict', refusals[kind]);
  }

  /** A client that was disabled by hand may be enabled again, unless its file disables it. */
  async refuseEnabling(clientId: string): Promise<void> {
    const mark = await this.marks.markOf('client', clientId);
    if (mark && mark.enabled !== true) throw new Problem('conflict', refusals.client);
  }

  /** The marked objects of a kind, with what the file says about the availability of a client. */
  list(kind: ManagedKind): Promise<Map<string, ObjectMark>> {
    return this.marks.ofKind(kind);
  }

  mark(kind: ManagedKind, id: string, enabled: boolean | null = null): Promise<void> {
    return this.marks.put(kind, id, { enabled });
  }

  /** False if the object has no mark. */
  release(kind: ManagedKind, id: string): Promise<boolean> {
    return this.marks.remove(kind, id);
  }

  /** Returns the number of released objects. */
  releaseAll(): Promise<number> {
    return this.marks.removeAll();
  }

  /** Keeps other processes from applying a file until the transaction ends; false if one of them is doing so. */
  lockForApply(): Promise<boolean> {
    return this.marks.lockForApply();
  }
}
