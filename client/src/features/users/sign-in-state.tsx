import { CheckCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { type ObstacleCode, stopsAppsOnly } from '../../../../src/contract/rules/users/sign-in-obstacles.js';
import type { SignInObstacle, UserSignIn } from '../../../../src/contract/users/helpdesk.js';
import type { UserView } from '../../../../src/contract/users/users.js';
import { formErrors, hasPageOfItsOwn, isGone, notifyFailure } from '../../api/failures/form-errors.js';
import { useUnlockUserMutation } from '../../api/users/helpdesk.js';
import { useInviteAgainMutation } from '../../api/users/users.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import { notify } from '../../shared/notices.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import { FactSection } from '../../shared/ui/text/facts.js';
import type { InvitationLinkProps } from './invitation-link-dialog.js';
import styles from './user-help.module.css';

const InvitationLinkDialog = lazyOverlay<InvitationLinkProps>(
  async () => (await import('./invitation-link-dialog.js')).InvitationLinkDialog,
  { seldom: true },
);

/** The way to help: a button, or the page to look at. */
type Remedy = 'unlock' | 'resend' | 'copy' | 'edit' | 'readiness';

const remedies: Record<ObstacleCode, readonly Remedy[]> = {
  incomplete: ['edit'],
  'deletion-waits': [],
  'invitation-expired': ['resend'],
  'invitation-waits': ['readiness', 'resend'],
  'not-activated': ['resend'],
  'method-closed': [],
  'password-locked': ['unlock'],
  'password-locked-somewhere': ['unlock'],
  'second-factor-locked': ['unlock'],
  'passkey-locked': ['unlock'],
  'other-tenant': ['edit'],
  'no-record': ['edit'],
  'records-unreachable': ['readiness'],
};

export interface HelpActions {
  /** Called when the shown data are out of date. */
  onStale: () => void;
  onGone: () => void;
  onEdit: () => void;
}

/** Says whether the user can sign in; if not, why, and what helps. */
export function SignInState({
  user,
  signIn: { obstacles, canCopyInvitation },
  ...acts
}: HelpActions & { user: UserView; signIn: Pick<UserSignIn, 'obstacles' | 'canCopyInvitation'> }) {
  const { t } = useTranslation();
  const [copying, setCopying] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const isFree = obstacles.every(({ code }) => stopsAppsOnly.includes(code));
  const refused = new URLSearchParams({ accountId: user.id, group: 'sign-ins', outcome: 'failure' });
  return (
    <FactSection title={t('helpdesk.title')}>
      {/* Takes the focus when the button that had it has gone with its obstacle. */}
      <div ref={place} tabIndex={-1} className={styles.state}>
        {obstacles.map((obstacle) => (
          <Obstacle
            key={obstacle.code}
            user={user}
            obstacle={obstacle}
            {...acts}
            onCopy={canCopyInvitation ? () => setCopying(true) : undefined}
            onDone={() => {
              place.current?.focus();
              acts.onStale();
            }}
          />
        ))}
        {isFree && (
          <p className={styles.free}>
            <CheckCircleFilled aria-hidden className={styles.tick} />
            {t('helpdesk.free')}
          </p>
        )}
        <Link className={`target ${styles.refused}`} to={`/admin/audit?${refused}`}>
          {t('helpdesk.refused')}
        </Link>
      </div>
      <InvitationLinkDialog
        user={user}
        open={copying}
        onClose={() => setCopying(false)}
        onGone={() => {
          setCopying(false);
          acts.onGone();
        }}
        afterClose={() => {
          place.current?.focus();
          acts.onStale();
        }}
      />
    </FactSection>
  );
}

function Obstacle({
  user,
  obstacle: { code, until },
  onGone,
  onEdit,
  onStale,
  onDone,
  onCopy,
}: HelpActions & {
  user: UserView;
  obstacle: SignInObstacle;
  onDone: () => void;
  /** Present where the invitation is handed over, and not sent. */
  onCopy: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const [unlock, unlocking] = useUnlockUserMutation();
  const [invite, inviting] = useInviteAgainMutation();
  const run = async (call: Promise<{ error?: unknown }>, done: string) => {
    const { error } = await call;
    if (!error) {
      notify('success', done);
      return onDone();
    }
    if (isGone(error)) return onGone();
    if (hasPageOfItsOwn(error)) return;
    // Done by another administrator meanwhile, or asked for too often.
    notifyFailure(error, formErrors(error).form[0]);
    onStale();
  };
  const button = (text: string, busy: boolean, onClick: () => void) => (
    <Button type="link" size="small" loading={busy} onClick={onClick}>
      {text}
    </Button>
  );
  const acts: Record<Remedy, ReactNode> = {
    unlock: button(t('helpdesk.unlock'), unlocking.isLoading, () => run(unlock(user.id), t('helpdesk.unlocked'))),
    resend: button(t('users.resend'), inviting.isLoading, () => run(invite(user.id), t('users.resent'))),
    copy: onCopy && button(t('helpdesk.copyLink'), false, onCopy),
    edit: button(t('users.editAction'), false, onEdit),
    readiness: (
      <Link className="target" to="/admin/readiness">
        {t('helpdesk.readiness')}
      </Link>
    ),
  };
  const kind = kindOf(code, until, user);
  return (
    <Banner tone={stopsAppsOnly.includes(code) ? 'info' : 'warning'}>
      <strong>{t(`helpdesk.obstacles.${kind}.title`)}</strong>
      <span className={styles.text}>
        {t(`helpdesk.obstacles.${kind}.text`, { until: until === null ? '' : longMoment(until) })}
      </span>
      {remedies[code].length > 0 && (
        <span className={styles.acts}>
          {remedies[code].map((remedy) => (
            <span key={remedy}>{acts[remedy === 'resend' && onCopy ? 'copy' : remedy]}</span>
          ))}
        </span>
      )}
    </Banner>
  );
}

/** Some codes have more than one text. */
function kindOf(code: ObstacleCode, until: string | null, { isExternal }: UserView) {
  if (code === 'method-closed' && isExternal) return 'provider-closed';
  return code === 'invitation-expired' && until === null ? 'invitation-ended' : code;
}
