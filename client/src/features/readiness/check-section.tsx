import {
  CheckCircleFilled,
  CloseCircleFilled,
  QuestionCircleFilled,
  RightOutlined,
  WarningFilled,
} from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type {
  ReadinessCheck,
  ReadinessSection,
  ReadinessState,
  ReadinessText,
} from '../../../../src/contract/readiness.js';
import { formErrors, notifyFailure } from '../../api/failures/form-errors.js';
import { useSendTestMailMutation } from '../../api/readiness.js';
import { translateAnswer } from '../../shared/i18n/messages.js';
import { notify } from '../../shared/notices.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Badge, type Tone } from '../../shared/ui/marks/badge.js';
import styles from './readiness.module.css';

const translated = ({ text, ...message }: ReadinessText) => translateAnswer(text, message);

/** Checks that have to be dealt with first stand first. */
const tones: [Exclude<ReadinessState, 'pass'>, Tone][] = [
  ['blocking', 'bad'],
  ['improve', 'warning'],
  ['unknown', 'neutral'],
];

const icons = {
  pass: CheckCircleFilled,
  improve: WarningFilled,
  blocking: CloseCircleFilled,
  unknown: QuestionCircleFilled,
};

/** A group of checks, which is open where something was found; those that pass are folded. */
export function CheckSection({ section, onMailSent }: { section: ReadinessSection; onMailSent: () => void }) {
  const { t } = useTranslation();
  const { title, checks } = section;
  const inState = (state: ReadinessState) => checks.filter((check) => check.state === state).length;
  const found = tones.filter(([state]) => inState(state) > 0);
  const passing = checks.filter((check) => check.state === 'pass');
  return (
    <details className={`${cardStyles.card} ${styles.section}`} open={found.length > 0}>
      <summary>
        <RightOutlined className={styles.arrow} aria-hidden />
        <h2>{translated(title)}</h2>
        <span className={styles.badges}>
          {found.map(([state, tone]) => (
            <Badge key={state} tone={tone}>
              {t(`readiness.counts.${state}`, { count: inState(state) })}
            </Badge>
          ))}
          {found.length === 0 && <Badge tone="good">{t('readiness.counts.pass', { count: checks.length })}</Badge>}
        </span>
      </summary>
      {found.length > 0 && (
        <Checks
          checks={tones.flatMap(([state]) => checks.filter((check) => check.state === state))}
          onMailSent={onMailSent}
        />
      )}
      {found.length > 0 && passing.length > 0 ? (
        <details className={styles.passing}>
          <summary>
            <RightOutlined className={styles.arrow} aria-hidden />
            {t('readiness.passing', { count: passing.length })}
          </summary>
          <Checks checks={passing} onMailSent={onMailSent} />
        </details>
      ) : (
        <Checks checks={passing} onMailSent={onMailSent} />
      )}
    </details>
  );
}

function Checks({ checks, onMailSent }: { checks: readonly ReadinessCheck[]; onMailSent: () => void }) {
  return (
    <ul>
      {checks.map((check) => (
        <Check key={check.code} check={check} onMailSent={onMailSent} />
      ))}
    </ul>
  );
}

function Check({ check, onMailSent }: { check: ReadinessCheck; onMailSent: () => void }) {
  const { state, title, finding, why, advice, remedy } = check;
  return (
    <li className={styles.check}>
      <StateMark state={state} />
      <div className={styles.texts}>
        <h3>{translated(title)}</h3>
        <p className={styles.finding}>{translated(finding)}</p>
        {state !== 'pass' && (
          <p className={styles.why}>
            <span>{translated(why)}</span> {advice && <span>{translated(advice)}</span>}
          </p>
        )}
        {state !== 'pass' && <Place check={check} />}
      </div>
      {remedy?.kind === 'page' && (
        <Link className={`target ${styles.link}`} to={remedy.to}>
          {translated(remedy.label)}
        </Link>
      )}
      {remedy?.kind === 'test-mail' && (
        <TestMail isFirst={finding.code === 'readiness-mail-test-none'} onSent={onMailSent} />
      )}
    </li>
  );
}

/** In front of a check: its state as an icon, which has a name. */
function StateMark({ state }: { state: ReadinessState }) {
  const { t } = useTranslation();
  const Icon = icons[state];
  return (
    <span className={`${styles.mark} ${styles[state]}`} role="img" aria-label={t(`readiness.states.${state}`)}>
      <Icon aria-hidden />
    </span>
  );
}

/** The key of the configuration or the command that changes the state. */
function Place({ check: { remedy } }: { check: ReadinessCheck }) {
  const { t } = useTranslation();
  if (remedy?.kind !== 'setting' && remedy?.kind !== 'command') return null;
  return (
    <p className={styles.place}>
      <span>{t(remedy.kind === 'setting' ? 'readiness.setting' : 'readiness.command')}</span>
      <code>{remedy.kind === 'setting' ? remedy.key : remedy.command}</code>
    </p>
  );
}

function TestMail({ isFirst, onSent }: { isFirst: boolean; onSent: () => void }) {
  const { t } = useTranslation();
  const [send, { isLoading }] = useSendTestMailMutation();
  const press = async () => {
    const { error } = await send();
    if (error) return notifyFailure(error, formErrors(error).form[0]);
    notify('success', t('readiness.testMailSent'));
    onSent();
  };
  return (
    <Button className={styles.link} type="link" loading={isLoading} onClick={press}>
      {t(isFirst ? 'readiness.sendTestMail' : 'readiness.sendAgain')}
    </Button>
  );
}
