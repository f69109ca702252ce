import { Button } from 'antd';
import { useNavigate } from 'react-router-dom';
import type { Path } from '../../../../src/contract/rules/pages.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';

/** The next page for a user whose link is no longer valid. */
export interface NextPage {
  label: string;
  page: Path;
}

export function LinkEnded({ errors, wayOn }: { errors: string[]; wayOn: NextPage }) {
  const navigate = useNavigate();
  return (
    <div className={card.instead}>
      <ErrorList errors={errors} />
      <Button type="primary" block onClick={() => navigate(wayOn.page)}>
        {wayOn.label}
      </Button>
    </div>
  );
}
