// @ts-check

/** The demo's disclaimers: one for the portal, and one for the sample app. */
export const demoDisclaimers = [
  {
    id: 'portal-use',
    description: 'Use of this portal',
    html: `
      <p>This is a demonstration. All people in it are invented, and nothing you enter leaves this computer.</p>
      <h2>What we ask of you</h2>
      <ul>
        <li>Keep your password to yourself.</li>
        <li>Let an app see your record only if you trust its maker.</li>
      </ul>
      <p>Apps that ask for your record are listed under <strong>Manage Apps</strong>, where you can revoke their access.</p>`,
  },
  {
    id: 'no-emergencies',
    description: 'Vitals is not for emergencies',
    html: `
      <p>The app shows what was measured before. It does not alert anyone.</p>
      <p><strong>In an emergency, call your local number.</strong></p>`,
    clients: ['demo-app'],
  },
];
