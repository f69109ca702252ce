import { useTranslation } from 'react-i18next';
import type { InvitationView } from '../../../../../src/contract/invitations.js';
import { levelLine } from '../../../shared/levels/level-texts.js';
import { dayText } from '../day.js';

/** What the invited user will see, and until when; within a list of facts. */
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
