"""Pictures as SVG that stands alone, loads nothing and tells itself in words."""
