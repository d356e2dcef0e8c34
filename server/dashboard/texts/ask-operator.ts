/** What a member needs an operator for: whom to ask, and the command that the operator runs. */
export const askOperatorTexts = {
  project: 'Ask an operator of this server to create a project here in the dashboard, or to run:',
  projectCommand: (organizationId: string) => `npx quire projects create "Docs" --org ${organizationId}`,
  site: 'Ask an operator of this server to register a site here in the dashboard, or to run, with its domain:',
  siteCommand: (projectId: string) => `npx quire sites create docs.example.com --project ${projectId}`,
  copy: 'Copy',
  copyCommand: 'Copy the command for the operator',
}
