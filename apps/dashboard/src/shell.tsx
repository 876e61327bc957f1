import { type ReactNode, useEffect, useState } from 'react'
import { NavLink, useLocation } from 'react-router'
import { useIsReading } from './api/queries.ts'
import { navigation } from './navigation.ts'
import { Button } from './ui/button.tsx'

/** Menu beside the content; on a narrow screen behind a button. */
export function Shell({ email, children }: { readonly email: string; readonly children: ReactNode }) {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const { pathname } = useLocation()
  const isBusy = useIsReading()
  useEffect(() => {
    setMenuOpen(false)
    // The page may have been opened from elsewhere than the menu.
    document.querySelector('.menu .active')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="top">
        <Button look="quiet" aria-expanded={isMenuOpen} aria-controls="menu" onPress={() => setMenuOpen(!isMenuOpen)}>
          Menu
        </Button>
        <strong>Tunnels</strong>
      </header>
      <nav id="menu" className={isMenuOpen ? 'menu open' : 'menu'} aria-label="Pages">
        <strong className="brand">Tunnels</strong>
        {navigation.map((section) => (
          <section key={section.title}>
            <h2>{section.title}</h2>
            <ul>
              {section.pages.map(({ path, title }) => (
                <li key={path}>
                  <NavLink to={path} end={path === '/'}>
                    {title}
                  </NavLink>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <NavLink to="/settings" className="account">
          Settings <small>{email}</small>
        </NavLink>
      </nav>
      <main id="content" tabIndex={-1} aria-busy={isBusy}>
        {children}
      </main>
    </div>
  )
}
