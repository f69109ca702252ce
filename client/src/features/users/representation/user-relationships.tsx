import './words/en.js';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type {
  AccountRelationships,
  AdministeredRelationship,
} from '../../../../../src/contract/representation/administration.js';
import type { UserView } from '../../../../../src/contract/users/users.js';
import { useSettings } from '../../../api/settings.js';
import { useAccountRelationshipsQuery, useAgeRulesQuery } from '../../../api/users/representation.js';
import { useShownPart } from '../../../shared/list/paging/shown-part.js';
import { lazyOverlay } from '../../../shared/loading/lazy-overlay.js';
import { LoadFailed } from '../../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../../shared/ui/placeholders/skeleton.js';
import { FactSection } from '../../../shared/ui/text/facts.js';
import type { ImportRelationshipsProps } from './import-relationships.js';
import type { LinkRecordProps } from './link-record-dialog.js';
import type { ProposeProps } from './propose-dialog.js';
import type { RelationshipActProps } from './relationship-act-dialog.js';
import { formOfDraft } from './relationship-drafts.js';
import { type Act, RelationshipItem } from './relationship-item.js';
import styles from './representation.module.css';

const seldom = { seldom: true };
const ActDialog = lazyOverlay<RelationshipActProps>(
  async () => (await import('./relationship-act-dialog.js')).RelationshipActDialog,
  seldom,
);
const ProposeDialog = lazyOverlay<ProposeProps>(
  async () => (await import('./propose-dialog.js')).ProposeDialog,
  seldom,
);
const ImportRelationships = lazyOverlay<ImportRelationshipsProps>(
  async () => (await import('./import-relationships.js')).ImportRelationships,
  seldom,
);
const LinkRecordDialog = lazyOverlay<LinkRecordProps>(
  async () => (await import('./link-record-dialog.js')).LinkRecordDialog,
  seldom,
);

type Asked =
  | { kind: 'act'; act: Act; relationship: AdministeredRelationship }
  | { kind: 'propose'; side: 'actsFor' | 'helpers' }
  | { kind: 'link' | 'import' };

/** For whom a user acts, and who acts for the user's own record; nothing where no account can act for a patient. */
export function UserRelationships({ user }: { user: UserView }) {
  const { familyPages } = useSettings();
  const isShown = familyPages === true && (user.userType === 'Patient' || user.userType === 'RelatedPerson');
  return isShown && <Relationships user={user} />;
}

function Relationships({ user }: { user: UserView }) {
  const { t } = useTranslation();
  const relationships = useAccountRelationshipsQuery(user.id, { refetchOnMountOrArgChange: true });
  const ageRules = useAgeRulesQuery();
  const [data, rules] = [relationships.data, ageRules.data];
  const [asked, setAsked] = useState<Asked | null>(null);
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const ask = (next: Asked) => {
    setAsked(next);
    setOpen(true);
  };
  useDraftedForm(user.id, data, ask);
  const dialog = {
    open,
    onClose: () => setOpen(false),
    // The button that had the focus may have gone.
    onDone: () => {
      setOpen(false);
      place.current?.focus();
    },
  };
  if (!data || !rules) {
    const failed = [relationships, ageRules].filter(({ isError, isFetching }) => isError && !isFetching);
    const retry = () => {
      for (const { refetch } of failed) void refetch();
    };
    return (
      <FactSection title={t('representation.actsFor')}>
        {failed.length > 0 ? <LoadFailed onRetry={retry} /> : <Skeleton width={120} />}
      </FactSection>
    );
  }
  const side = (of: 'actsFor' | 'helpers') => (
    <Side
      of={of}
      list={data[of]}
      rules={rules}
      onAct={(act, relationship) => ask({ kind: 'act', act, relationship })}
      onAdd={() => ask({ kind: 'propose', side: of })}
      onImport={() => ask({ kind: 'import' })}
    />
  );
  return (
    <>
      <FactSection title={t('representation.actsFor')}>
        <div ref={place} tabIndex={-1} className={styles.place}>
          {side('actsFor')}
        </div>
        {user.userType === 'RelatedPerson' && (
          <Button type="link" size="small" onClick={() => ask({ kind: 'link' })}>
            {t('representation.link')}
          </Button>
        )}
      </FactSection>
      {data.records.length > 0 && <FactSection title={t('representation.helpers')}>{side('helpers')}</FactSection>}
      {asked?.kind === 'act' && (
        <ActDialog
          key={`${asked.relationship.id} ${asked.act}`}
          {...dialog}
          user={user.id}
          act={asked.act}
          relationship={asked.relationship}
          rules={rules}
        />
      )}
      {asked?.kind === 'propose' && (
        <ProposeDialog
          key={asked.side}
          {...dialog}
          user={user}
          side={asked.side}
          records={data.records}
          rules={rules}
        />
      )}
      {asked?.kind === 'import' && <ImportRelationships open={open} onClose={dialog.onClose} />}
      {asked?.kind === 'link' && <LinkRecordDialog {...dialog} user={user} />}
    </>
  );
}

/** Opens the form that was not sent, once it is known what it is about. */
function useDraftedForm(user: string, data: AccountRelationships | undefined, ask: (form: Asked) => void): void {
  const brought = useRef(formOfDraft(user));
  useEffect(() => {
    const form = brought.current;
    if (!form || !data) return;
    brought.current = undefined;
    if (form.kind !== 'act') return ask(form);
    const relationship = [...data.actsFor, ...data.helpers].find(({ id }) => id === form.relationship);
    if (relationship) ask({ kind: 'act', act: form.act, relationship });
  });
}

function Side({
  of,
  list,
  rules,
  onAct,
  onAdd,
  onImport,
}: {
  of: 'actsFor' | 'helpers';
  list: AdministeredRelationship[];
  rules: Parameters<typeof RelationshipItem>[0]['rules'];
  onAct: (act: Act, relationship: AdministeredRelationship) => void;
  onAdd: () => void;
  onImport: () => void;
}) {
  const { t } = useTranslation();
  const isPast = ({ status, block }: AdministeredRelationship) =>
    ['ended', 'declined', 'cancelled', 'expired'].includes(status) && block === 'none';
  const [past, present] = [list.filter(isPast), list.filter((one) => !isPast(one))];
  const [shownPast, shownPresent] = [useShownPart(past), useShownPart(present)];
  const items = (some: readonly AdministeredRelationship[]) => (
    <ul className={styles.list}>
      {some.map((one) => (
        <RelationshipItem key={one.id} relationship={one} of={of} rules={rules} onAct={(act) => onAct(act, one)} />
      ))}
    </ul>
  );
  return (
    <>
      {present.length > 0 ? items(shownPresent.shown) : <p className={styles.none}>{t(`representation.${of}None`)}</p>}
      {shownPresent.more}
      {past.length > 0 && (
        <details className={styles.ended}>
          <summary>{t('representation.endedOnes')}</summary>
          {items(shownPast.shown)}
          {shownPast.more}
        </details>
      )}
      <div className={styles.foot}>
        <Button size="small" onClick={onAdd}>
          {t(of === 'actsFor' ? 'representation.add' : 'representation.addHelper')}
        </Button>
        {of === 'actsFor' && (
          <Button size="small" onClick={onImport}>
            {t('representation.import')}
          </Button>
        )}
        {of === 'actsFor' && (
          <Link className="target" to="/admin/age-rules">
            {t('representation.ageRules')}
          </Link>
        )}
      </div>
    </>
  );
}
