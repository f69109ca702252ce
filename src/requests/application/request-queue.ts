import { Injectable } from '@nestjs/common';
import type {
  RequestCount,
  RequestList,
  RequestListQuery,
  RequestReview,
  RequestRow,
  SeenAccess,
} from '../../contract/requests.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import { AskedRelationships } from '../../representation/application/asked-relationships.js';
import { RelationshipLists } from '../../representation/application/relationship-list.js';
import {
  type AskedAbout,
  askedRelationshipOf,
  type HospitalRequest,
  openRequests,
  Requests,
  requestGone,
} from '../domain/request.js';
import { RequestFiles } from '../domain/request-file.js';
import { RequestReviews } from './request-reviews.js';

/** The queue of administrators. */
@Injectable()
export class RequestQueue {
  constructor(
    private readonly requests: Requests,
    private readonly files: RequestFiles,
    private readonly relationships: AskedRelationships,
    private readonly lists: RelationshipLists,
    private readonly reviews: RequestReviews,
  ) {}

  async list({ show, searchTerm, page, pageSize }: RequestListQuery): Promise<RequestList> {
    const filter = { isOpen: show === 'open', searchTerm, page, pageSize };
    const [{ requests, totalCount }, { late }, decided] = await Promise.all([
      this.requests.list(filter),
      this.requests.count(),
      this.requests.decided(),
    ]);
    return { requests: requests.map((one) => this.rowOf(one)), totalCount, lateCount: late, decided };
  }

  count(): Promise<RequestCount> {
    return this.requests.count();
  }

  async assertExists(id: string): Promise<void> {
    if (!(await this.requests.findById(id))) throw requestGone();
  }

  /** The request as an administrator decides about it; a service does not decide, and has opened nothing. */
  async review(id: string, { id: caller, isService = false }: SignedInUser): Promise<RequestReview> {
    const request = await this.requests.findById(id);
    if (!request) throw requestGone();
    const asked = askedRelationshipOf(request);
    const isOpen = openRequests.includes(request.status);
    const [files, opened, facts, seen] = await Promise.all([
      this.files.ofRequests([id]),
      this.files.openedBy(id, caller),
      this.reviews.factsOf(request, { administrator: isService ? undefined : caller, isOpen }),
      this.seenOf(request),
    ]);
    const { version, note, decidedAt, relationshipId } = request;
    return {
      ...this.rowOf(request),
      ...{ version, note, relationshipId, ...facts, seen },
      birthDate: asked?.birthDate ?? null,
      recordNumber: asked?.recordNumber ?? null,
      relation: asked?.relation ?? null,
      statement: asked ? asked.statement : (request.content as AskedAbout).reason,
      decidedAt: decidedAt?.toISOString() ?? null,
      files: files.map(({ id: file, label, name, mediaType, bytes, isKept }) => ({
        ...{ id: file, label, name, mediaType, bytes, isKept },
        isOpened: opened.has(file),
      })),
    };
  }

  private async seenOf(request: HospitalRequest): Promise<SeenAccess[] | null> {
    if (request.status !== 'in-error' || request.relationshipId === null) return null;
    const { patient } = await this.lists.get(request.relationshipId);
    return this.reviews.seenAfter(request, patient);
  }

  private rowOf(request: HospitalRequest): RequestRow {
    const { id, reference, kind, status, askerName, patientName, tenant, askedAt, dueAt, firstApproval } = request;
    const asked = askedRelationshipOf(request);
    return {
      ...{ id, reference, kind, status, askerName, patientName },
      age: asked ? this.relationships.ageOf(asked.birthDate, tenant) : null,
      basis: asked ? this.relationships.labelOf(asked.basis) : null,
      askedAt: askedAt.toISOString(),
      dueAt: dueAt.toISOString(),
      awaitsSecond: firstApproval !== null && openRequests.includes(status),
    };
  }
}
