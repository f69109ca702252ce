import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ListQuery } from '../../contract/list-query.js';
import {
  ConfirmRelationshipsRequest,
  RelationshipConfirmations,
  SuspendedRecords,
} from '../../contract/representation/confirmations.js';
import {
  ConfirmRelationshipRequest,
  DecideRelationshipRequest,
  EndRelationshipRequest,
  LiftedBlock,
  ProposeRelationshipRequest,
  RelationshipList,
  RelationshipListQuery,
  RelationshipView,
} from '../../contract/representation.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { actorOf, type Decider } from '../application/deciders.js';
import { RelationshipDecisions } from '../application/relationship-decisions.js';
import { RelationshipEnds } from '../application/relationship-ends.js';
import { RelationshipLists, viewOf } from '../application/relationship-list.js';
import { RelationshipProposals } from '../application/relationship-proposals.js';
import { SuspendedRelationships } from '../application/suspended-relationships.js';

@For('Admin')
@AboutRepresentation()
@Controller('api/admin/representation')
export class RelationshipsController {
  constructor(
    private readonly lists: RelationshipLists,
    private readonly proposals: RelationshipProposals,
    private readonly decisions: RelationshipDecisions,
    private readonly suspended: SuspendedRelationships,
    private readonly ends: RelationshipEnds,
  ) {}

  /** Lists the relationships of accounts that act for patients, newest proposals first. */
  @Get()
  list(@Query() query: RelationshipListQuery): Promise<RelationshipList> {
    return this.lists.list(query);
  }

  /** Lets suspended relationships continue, each by itself. */
  @Post('confirmations')
  @HttpCode(200)
  async confirmAll(
    @Body() form: ConfirmRelationshipsRequest,
    @SignedIn() caller: SignedInUser,
  ): Promise<RelationshipConfirmations> {
    return { results: await this.suspended.confirmAll(form, deciderOf(caller)) };
  }

  /** Lists the relationships that are suspended because the record of the patient is gone or merged. */
  @Get('confirmations')
  suspendedRecords(@Query() query: ListQuery): Promise<SuspendedRecords> {
    return this.suspended.list(query);
  }

  /** Reads a relationship. */
  @Get(':id')
  get(@Param('id') id: string): Promise<RelationshipView> {
    return this.lists.get(id);
  }

  /**
   * Proposes that an account acts for a patient.
   * @refuses 409
   */
  @Post()
  async propose(@Body() form: ProposeRelationshipRequest, @SignedIn() caller: SignedInUser): Promise<RelationshipView> {
    return viewOf(await this.proposals.propose(form, deciderOf(caller)));
  }

  /**
   * Decides about a proposal.
   *
   * With `exceedsTable` an approval waits for that of another administrator.
   * @refuses 409
   */
  @Post(':id/decision')
  @HttpCode(200)
  async decide(
    @Param('id') id: string,
    @Body() form: DecideRelationshipRequest,
    @SignedIn() caller: SignedInUser,
  ): Promise<RelationshipView> {
    return viewOf(await this.decisions.decide(id, deciderOf(caller), form));
  }

  /**
   * Lets a suspended relationship continue.
   * @refuses 409
   */
  @Post(':id/confirmation')
  @HttpCode(200)
  async confirm(
    @Param('id') id: string,
    @Body() form: ConfirmRelationshipRequest,
    @SignedIn() caller: SignedInUser,
  ): Promise<RelationshipView> {
    return viewOf(await this.suspended.confirm(id, deciderOf(caller), form));
  }

  /**
   * Ends a relationship and the access of apps that is based on it, at once.
   * @refuses 409
   */
  @Post(':id/end')
  @HttpCode(200)
  async end(
    @Param('id') id: string,
    @Body() { reason, note }: EndRelationshipRequest,
    @SignedIn() caller: SignedInUser,
  ): Promise<RelationshipView> {
    return viewOf(await this.ends.end(id, { reason, note, by: actorOf(deciderOf(caller)) }));
  }

  /**
   * Lifts the block of a safeguarding end.
   *
   * The first administrator asks for it, another one lifts it.
   * @refuses 409
   */
  @Post(':id/block/lift')
  @HttpCode(200)
  async liftBlock(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<LiftedBlock> {
    return { state: await this.decisions.liftBlock(id, deciderOf(caller)) };
  }
}

function deciderOf({ id, isService = false }: SignedInUser): Decider {
  return { id, isService };
}
