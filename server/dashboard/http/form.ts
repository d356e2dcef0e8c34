import express, { type RequestHandler } from 'express'

const readText = express.text({ type: 'application/x-www-form-urlencoded', limit: '256kb' })

/** Reads the fields of a form into `res.locals.form`. A body of another type has no fields. */
export const readForm: RequestHandler = (req, res, next) => {
  readText(req, res, error => {
    if (error) return next(error)
    res.locals.form = new URLSearchParams(typeof req.body === 'string' ? req.body : '')
    next()
  })
}
