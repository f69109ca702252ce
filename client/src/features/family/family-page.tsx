import './words/en.js';
import '../../shared/addresses/words/en.js';
import { PlusOutlined, TeamOutlined, UserAddOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { EndedInvitation, InvitationView } from '../../../../src/contract/invitations.js';
import type { OwnRelationship } from '../../../../src/contract/representation.js';
import type { OwnRequest } from '../../../../src/contract/requests.js';
import { useFamilyQuery, useInvitationsQuery } from '../../api/own-record/family.js';
import { useOwnRequestsQuery } from '../../api/own-record/requests.js';
import { useSessionQuery } from '../../api/session.js';
import { hasWords } from '../../shared/list/paging/has-words.js';
import { partLength, useShownPart } from '../../shared/list/paging/shown-part.js';
import { SearchField } from '../../shared/list/search-field.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { BirthdayBanners } from './birthday/birthday-banners.js';
import type { Side } from './cards/apps-of.js';
import { AskChangeSheet, relationshipOfDraft } from './cards/ask-change-sheet.js';
import { ChangeSheet } from './cards/change-sheet.js';
import { EndDialog } from './cards/end-dialog.js';
import { type CardAct, RelationshipCard } from './cards/relationship-card.js';
import { RenewDialog } from './cards/renew-dialog.js';
import { RequestCard } from './cards/request-card.js';
import styles from './family.module.css';
import { CancelInvitation } from './invitation/cancel-invitation.js';
import { ShownCode } from './invitation/shown-code.js';
import { EndedInvitationCard, WaitingCard } from './invitation/waiting-card.js';

type Asked =
  | { kind: CardAct; side: Side; one: OwnRelationship }
  | { kind: 'code' | 'cancel'; one: InvitationView }
  | null;

const day = 86_400_000;

/** 0 for what needs an answer, 1 for what ends within 30 days, else 2. */
function urgencyOf({ isAsked, agreement, end }: OwnRelationship, side: Side): number {
  if (side === 'helpers' && (isAsked || (agreement && !agreement.isAgreed))) return 0;
  return end !== null && Date.parse(`${end}T12:00:00`) - Date.now() <= 30 * day ? 1 : 2;
}

const isEnded = ({ status }: OwnRelationship) => !['active', 'suspended', 'proposed', 'more-needed'].includes(status);

/** The values of the last render without a read on its way, or of the first one where all of them were known. */
function useSettled<Values extends Record<string, unknown>>(values: Values, isFetching: boolean): Partial<Values> {
  const isKnown = Object.values(values).every((value) => value !== undefined);
  const [settled, setSettled] = useState<Partial<Values>>(isKnown ? values : {});
  if (!isFetching && Object.entries(values).some(([name, value]) => settled[name] !== value)) {
    setSettled(values);
    return values;
  }
  return settled;
}

/** The patients for whom the user acts, and who acts for the user. */
export function FamilyPage() {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const isPatient = user?.userType === 'Patient';
  const family = useFamilyQuery(undefined, { refetchOnMountOrArgChange: true });
  const waiting = useInvitationsQuery(undefined, { skip: !isPatient, refetchOnMountOrArgChange: true });
  const requests = useOwnRequestsQuery(undefined, { refetchOnMountOrArgChange: true });
  const isFetching = [family, waiting, requests].some((query) => query.isFetching);
  // They change together: an accepted invitation is in one list, and never in both.
  const lists = useSettled(
    { family: family.data, waiting: isPatient ? waiting.data : null, requests: requests.data },
    isFetching,
  );
  const slow = useSlow(isFetching && !lists.family);
  const [asked, setAsked] = useState<Asked>(null);
  const [open, setOpen] = useState(false);
  // Each opening of a form begins with what the card says then.
  const [turn, setTurn] = useState(0);
  const ask = (next: Asked) => {
    setTurn((before) => before + 1);
    setAsked(next);
    setOpen(true);
  };
  const close = () => setOpen(false);
  const brought = useRef(relationshipOfDraft());
  const broughtBack = lists.family?.lookedAfter.find(({ id }) => id === brought.current);
  useEffect(() => {
    if (!broughtBack) return;
    brought.current = undefined;
    setAsked({ kind: 'ask', side: 'lookedAfter', one: broughtBack });
    setOpen(true);
  }, [broughtBack]);
  const retry = () => {
    void family.refetch();
    void requests.refetch();
    if (isPatient) void waiting.refetch();
  };

  return (
    <>
      <PageTitle>{t('grants.family')}</PageTitle>
      <p className={styles.lead}>{t(isPatient ? 'family.lead' : 'family.leadForOthers')}</p>
      {lists.family ? (
        <>
          <BirthdayBanners list={lists.family.lookedAfter} />
          <Part
            title={t('family.lookedAfter')}
            lead={t('family.lookedAfterLead')}
            action={(lists.requests?.bases.length ?? 0) > 0 && <AskLink />}
            none={t('family.lookedAfterNone')}
            side="lookedAfter"
            list={lists.family.lookedAfter}
            requests={lists.requests?.requests ?? []}
            onAct={(kind, one) => ask({ kind, side: 'lookedAfter', one })}
          />
          {isPatient && (
            <Part
              title={t('family.helpers')}
              lead={t('family.helpersLead')}
              action={(lists.waiting?.bases.length ?? 0) > 0 && <InviteLink />}
              none={t('family.helpersNone')}
              side="helpers"
              list={lists.family.helpers}
              invitations={lists.waiting?.invitations ?? []}
              endedInvitations={lists.waiting?.ended ?? []}
              onAct={(kind, one) => ask({ kind, side: 'helpers', one })}
              onCode={(one) => ask({ kind: 'code', one })}
              onCancel={(one) => ask({ kind: 'cancel', one })}
            />
          )}
          {waiting.isError && !waiting.isFetching && <LoadFailed onRetry={retry} />}
        </>
      ) : (
        family.isError && !family.isFetching && <LoadFailed onRetry={retry} />
      )}
      {slow && <CardsSkeleton />}
      {asked?.kind === 'end' && (
        <EndDialog key={asked.one.id} relationship={asked.one} side={asked.side} open={open} onClose={close} />
      )}
      {asked?.kind === 'renew' && (
        <RenewDialog key={asked.one.id} relationship={asked.one} open={open} onClose={close} />
      )}
      {asked?.kind === 'ask' && (
        <AskChangeSheet key={asked.one.id} relationship={asked.one} open={open} onClose={close} />
      )}
      {asked?.kind === 'change' && user && (
        <ChangeSheet key={turn} relationship={asked.one} user={user} open={open} onClose={close} />
      )}
      {asked?.kind === 'cancel' && (
        <CancelInvitation key={asked.one.id} invitation={asked.one} open={open} onClose={close} />
      )}
      {asked?.kind === 'code' && user && (
        <ShownCode key={asked.one.id} invitation={asked.one} user={user} open={open} onClose={close} />
      )}
    </>
  );
}

function AskLink() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Button icon={<PlusOutlined aria-hidden />} onClick={() => navigate('/user/family/request')}>
      {t('family.askFor')}
    </Button>
  );
}

function InviteLink() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Button type="primary" icon={<UserAddOutlined aria-hidden />} onClick={() => navigate('/user/family/invite')}>
      {t('family.invite')}
    </Button>
  );
}

interface PartProps {
  title: string;
  lead: string;
  none: string;
  action: ReactNode;
  side: Side;
  list: OwnRelationship[];
  invitations?: InvitationView[];
  endedInvitations?: EndedInvitation[];
  requests?: OwnRequest[];
  onAct: (act: CardAct, one: OwnRelationship) => void;
  onCode?: (one: InvitationView) => void;
  onCancel?: (one: InvitationView) => void;
}

function Part(part: PartProps) {
  const { title, lead, none, action, side, list, invitations = [], requests = [], onAct, onCode, onCancel } = part;
  const { endedInvitations = [] } = part;
  const { t } = useTranslation();
  // The list has the order of names, which stays within each.
  const [term, setTerm] = useState('');
  const searched = list.filter(({ name }) => hasWords(name, term));
  const current = searched
    .filter((one) => !isEnded(one))
    .sort((one, other) => urgencyOf(one, side) - urgencyOf(other, side));
  const ended = searched.filter(isEnded);
  const shownCurrent = useShownPart(current);
  const shownEnded = useShownPart(ended);
  return (
    <section className={styles.part}>
      <div className={styles.partHead}>
        <h2>{title}</h2>
        <p>{lead}</p>
      </div>
      {list.length > partLength && (
        <search className={styles.search}>
          <SearchField value={term} onSearch={setTerm} placeholder={t('family.search')} />
        </search>
      )}
      {current.length + invitations.length + requests.length === 0 ? (
        <p className={styles.none} role={term === '' ? undefined : 'status'}>
          <TeamOutlined aria-hidden /> {term === '' ? none : t('family.notFound')}
        </p>
      ) : (
        <ul className={styles.cards}>
          {requests.map((one) => (
            <RequestCard key={one.id} request={one} />
          ))}
          {shownCurrent.shown.map((one) => (
            <RelationshipCard key={one.id} relationship={one} side={side} onAct={(act) => onAct(act, one)} />
          ))}
          {invitations.map((one) => (
            <WaitingCard key={one.id} invitation={one} onCode={() => onCode?.(one)} onCancel={() => onCancel?.(one)} />
          ))}
        </ul>
      )}
      {shownCurrent.more}
      {action && <div className={styles.action}>{action}</div>}
      {ended.length + endedInvitations.length > 0 && (
        <details className={styles.ended}>
          <summary>{t('family.endedOnes')}</summary>
          <ul className={styles.cards}>
            {shownEnded.shown.map((one) => (
              <RelationshipCard key={one.id} relationship={one} side={side} />
            ))}
            {endedInvitations.map((one) => (
              <EndedInvitationCard key={one.id} invitation={one} />
            ))}
          </ul>
          {shownEnded.more}
        </details>
      )}
    </section>
  );
}

function CardsSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status">
      <span className="visually-hidden">{t('common.loading')}</span>
      <div className={styles.cards} aria-hidden="true">
        {[1, 2].map((card) => (
          <div key={card} className={`${cardStyles.card} ${styles.skeleton}`}>
            <Skeleton width={48} height={48} />
            <Skeleton width="50%" />
            <Skeleton width="70%" />
          </div>
        ))}
      </div>
    </div>
  );
}
