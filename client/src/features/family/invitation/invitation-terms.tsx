import { useTranslation } from 'react-i18next';
import type { InvitationView } from '../../../../../src/contract/invitations.js';
import { levelLine } from '../../../shared/levels/level-texts.js';
import { dayText } from '../day.js';

/** The access of the invited user and its end; within a list of facts. */
export function InvitationTerms({ invitation: { level, end } }: { invitation: InvitationView }) {
  const { t } = useTranslation();
  return (
    <>
      <div>
        <dt>{t('family.willSee')}</dt>
        <dd>{levelLine(level)}</dd>
      </div>
      <div>
        <dt>{t('family.until')}</dt>
        <dd>{end ? dayText(end) : t('family.noEnd')}</dd>
      </div>
    </>
  );
}
