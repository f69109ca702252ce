import type { ReactNode } from 'react';
import type { FlowApp } from '../../../../src/contract/authorization.js';
import { useLeaving } from '../../api/authorization.js';
import { CancelFlow } from '../../shared/ui/flow/flow-progress.js';
import card from '../../shared/ui/forms/card-form.module.css';

/** The way back to the app without signing in. */
export default function LeaveSignIn({ app, returnUrl }: { app: FlowApp; returnUrl: string }): ReactNode {
  return (
    <div className={card.leave}>
      <CancelFlow place={app} {...useLeaving({ returnUrl, isSignIn: true })} />
    </div>
  );
}
